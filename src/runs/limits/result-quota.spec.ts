import type { RecordOf } from '../../protocol/events.js';
import type { Image } from '../../protocol/message.js';
import type { ToolExecution } from '../../tools/core/tool-executor.js';
import { cutOutput } from '../../tools/text/cut-output.js';
import type { CutNote } from '../../tools/text/cut-output.js';
import { ResultQuota } from './result-quota.js';
import type { ResultOf } from './result-quota.js';

const MIB = 1024 * 1024;
const SEEN = { path: 'a.png', hash: 'h' };

function callOf(call_id: string, isNested = false): ResultOf {
  return { call_id, isNested };
}

function limit(text: string, note?: CutNote) {
  const cut = cutOutput(text, 1_000, note);
  return { output: cut.text, truncated: true as const };
}

function withImage(bytes: number): ToolExecution {
  const image: Image = { media_type: 'image/png', data: Buffer.alloc(bytes).toString('base64') };
  return {
    ...{ output: 'An image.', is_error: false, duration_ms: 1 },
    journal: { seen: SEEN, images: [image] },
  };
}

function recordOf(id: string, { journal }: ToolExecution) {
  const body = { type: 'TOOL_RESULT', id } as RecordOf<'TOOL_RESULT'>;
  return { body, hidden: journal ?? null };
}

function withOutput(length: number, is_part = false): ToolExecution {
  const text = 'x'.repeat(length);
  return { ...limit(text), whole: { text, is_part }, is_error: false, duration_ms: 1 };
}

describe(ResultQuota.name, () => {
  it('takes eight megabytes, also of calls that run at once', () => {
    const quota = new ResultQuota({ limit });
    for (let at = 0; at < 8; at++) {
      const mine = withImage(MIB);
      expect(quota.admit(callOf(`c${at}`), mine)).toBe(mine);
      if (at % 2) quota.apply(recordOf(`c${at}`, mine));
    }
    const refused = quota.admit(callOf('late'), withImage(3));
    expect(refused.journal).toEqual({ seen: SEEN });
    expect(refused.output).toMatch(/^An image\.\n\[Image not shown: .*8 MiB/);
  });

  it('counts what earlier runs have logged', () => {
    const quota = new ResultQuota({ limit });
    for (let at = 0; at < 8; at++) quota.apply(recordOf(`c${at}`, withImage(MIB)));
    expect(quota.admit(callOf('late'), withImage(3)).journal).toEqual({ seen: SEEN });
  });

  it('does not count what it refuses', () => {
    const quota = new ResultQuota({ limit });
    expect(quota.admit(callOf('huge'), withImage(9 * MIB)).journal).toEqual({ seen: SEEN });
    expect(quota.admit(callOf('small'), withImage(3)).journal?.images).toHaveLength(1);
  });

  it('keeps nothing of calls that a tool has made: no model sees their results', () => {
    const nested = new ResultQuota({ limit }).admit(callOf('c', true), withImage(3));
    expect(nested).toMatchObject({ output: 'An image.', journal: { seen: SEEN } });
    expect(nested.journal).not.toHaveProperty('images');
  });

  it('keeps what is cut, and says where', () => {
    const admitted = new ResultQuota({ limit }).admit(callOf('c1'), withOutput(5_000));
    expect(admitted.journal).toEqual({ whole: 'x'.repeat(5_000) });
    expect(admitted.output).toMatch(
      /^x+\n\[… \d+ characters cut; to see them, open \.parley\/outputs\/c1\.txt with the tool read …\]\nx+$/,
    );
    expect(admitted.output.length).toBeLessThanOrEqual(1_000);
  });

  it('says when not all of it is kept', () => {
    const { output } = new ResultQuota({ limit }).admit(callOf('c1'), withOutput(5_000, true));
    expect(output).toMatch(/more than \d+ characters cut; to see more of them, open /);
  });

  it('takes four million characters, also of earlier runs', () => {
    const quota = new ResultQuota({ limit });
    const body = { type: 'TOOL_RESULT', id: 'c1' } as RecordOf<'TOOL_RESULT'>;
    quota.apply({ body, hidden: { whole: 'x'.repeat(3 * MIB) } });
    const refused = quota.admit(callOf('c2'), withOutput(MIB + 1));
    expect([refused.journal, refused.whole]).toEqual([undefined, undefined]);
    expect(refused.output).toMatch(/characters cut …]/);
    expect(quota.admit(callOf('c3'), withOutput(MIB)).journal?.whole).toHaveLength(MIB);
  });

  it('keeps nothing of a call inside a tool, nor of a short one', () => {
    const quota = new ResultQuota({ limit });
    expect(quota.admit(callOf('c1', true), withOutput(5_000)).journal).toBeUndefined();
    const short: ToolExecution = { output: 'x', is_error: false, duration_ms: 1 };
    expect(quota.admit(callOf('c2'), short)).toEqual(short);
  });
});
