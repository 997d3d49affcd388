import type { RecordOf } from '../../protocol/events.js';
import type { Image } from '../../protocol/image.js';
import type { ToolExecution } from '../../tools/tool-executor.js';
import { ImageRoom } from './image-room.js';
import type { ToolCallInput } from './tool-call-input.js';

const MIB = 1024 * 1024;
const SEEN = { path: 'a.png', hash: 'h' };

function callOf(id: string, isNested = false): ToolCallInput {
  return { call: { id }, isNested } as unknown as ToolCallInput;
}

function execution(bytes: number): ToolExecution {
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

describe(ImageRoom.name, () => {
  it('has room for eight megabytes, also of calls that run at once', () => {
    const room = new ImageRoom();
    for (let at = 0; at < 8; at++) {
      const mine = execution(MIB);
      expect(room.admit(callOf(`c${at}`), mine)).toBe(mine);
      if (at % 2) room.apply(recordOf(`c${at}`, mine));
    }
    const refused = room.admit(callOf('late'), execution(3));
    expect(refused.journal).toEqual({ seen: SEEN });
    expect(refused.output).toMatch(/^An image\.\n\[It is not shown: .*8 MiB/);
  });

  it('counts what earlier runs have told', () => {
    const room = new ImageRoom();
    for (let at = 0; at < 8; at++) room.apply(recordOf(`c${at}`, execution(MIB)));
    expect(room.admit(callOf('late'), execution(3)).journal).toEqual({ seen: SEEN });
  });

  it('keeps no room for what is refused', () => {
    const room = new ImageRoom();
    expect(room.admit(callOf('huge'), execution(9 * MIB)).journal).toEqual({ seen: SEEN });
    expect(room.admit(callOf('small'), execution(3)).journal?.images).toHaveLength(1);
  });

  it('keeps nothing of calls that a tool has made: no model sees their results', () => {
    const nested = new ImageRoom().admit(callOf('c', true), execution(3));
    expect(nested).toMatchObject({ output: 'An image.', journal: { seen: SEEN } });
    expect(nested.journal).not.toHaveProperty('images');
  });
});
