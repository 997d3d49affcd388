import type { RecordOf } from '../../protocol/events.js';
import { cutOutput } from '../../tools/cut-output.js';
import type { CutNote } from '../../tools/cut-output.js';
import type { ToolExecution } from '../../tools/tool-executor.js';
import { OutputRoom } from './output-room.js';
import type { ToolCallInput } from './tool-call-input.js';

const MIB = 1024 * 1024;

function limit(text: string, note?: CutNote) {
  const cut = cutOutput(text, 1_000, note);
  return { output: cut.text, truncated: true as const };
}

function callOf(id: string, isNested = false): ToolCallInput {
  return { call: { id }, isNested } as unknown as ToolCallInput;
}

function execution(length: number, is_part = false): ToolExecution {
  const text = 'x'.repeat(length);
  return { ...limit(text), whole: { text, is_part }, is_error: false, duration_ms: 1 };
}

describe(OutputRoom.name, () => {
  it('keeps what is cut, and says where', () => {
    const admitted = new OutputRoom({ limit }).admit(callOf('c1'), execution(5_000));
    expect(admitted.journal).toEqual({ whole: 'x'.repeat(5_000) });
    expect(admitted.output).toMatch(
      /^x+\n\[… \d+ characters cut; to see them, open \.parley\/outputs\/c1\.txt with the tool read …\]\nx+$/,
    );
    expect(admitted.output.length).toBeLessThanOrEqual(1_000);
  });

  it('says when not all of it is kept', () => {
    const { output } = new OutputRoom({ limit }).admit(callOf('c1'), execution(5_000, true));
    expect(output).toMatch(/more than \d+ characters cut; to see more of them, open /);
  });

  it('has room for four million characters, also of earlier runs', () => {
    const room = new OutputRoom({ limit });
    const body = { type: 'TOOL_RESULT', id: 'c1' } as RecordOf<'TOOL_RESULT'>;
    room.apply({ body, hidden: { whole: 'x'.repeat(3 * MIB) } });
    const refused = room.admit(callOf('c2'), execution(MIB + 1));
    expect([refused.journal, refused.whole]).toEqual([undefined, undefined]);
    expect(refused.output).toMatch(/characters cut …]/);
    expect(room.admit(callOf('c3'), execution(MIB)).journal?.whole).toHaveLength(MIB);
  });

  it('keeps nothing of a call inside a tool, nor of a short one', () => {
    const room = new OutputRoom({ limit });
    expect(room.admit(callOf('c1', true), execution(5_000)).journal).toBeUndefined();
    const short: ToolExecution = { output: 'x', is_error: false, duration_ms: 1 };
    expect(room.admit(callOf('c2'), short)).toEqual(short);
  });
});
