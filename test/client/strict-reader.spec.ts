import { StrictReader } from '../../client/strict-reader.js';
import type { EventFrame } from '../../client/strict-reader.js';

const OF = { interaction_id: 'int_1', agent_id: 'agent_1' };

function record(seq: number, type: string, more: object = {}): EventFrame {
  const data = { type, ...OF, seq, at: '2026-01-01T00:00:00.000Z', ...more };
  return { id: `${seq}`, event: type.toLowerCase(), data: data as never };
}

function delta(id: string, offset: number, text: string, block_id = 'b1'): EventFrame {
  const data = { type: 'TEXT_DELTA', ...OF, block_id, offset, delta: text };
  return { id, event: 'text_delta', data: data as never };
}

const STARTED = record(1, 'INTERACTION_STARTED');
const HALF = delta('1~b1.2', 0, 'Ha');
const REST = delta('1~b1.4', 2, 'lf');
const ANSWER = record(2, 'ANSWER', { block_id: 'b1', content: 'Half' });
const END = record(3, 'INTERACTION_COMPLETE');

function faultsOf(frames: readonly EventFrame[]): string[] {
  return frames.reduce((reader, frame) => reader.read(frame), new StrictReader()).faults;
}

describe(StrictReader.name, () => {
  it('finds nothing wrong with a stream that has everything once', () => {
    expect(faultsOf([STARTED, HALF, REST, ANSWER, END])).toEqual([]);
    expect(faultsOf([STARTED, HALF, record(2, 'RESUMED'), END])).toEqual([]);
  });

  it.each<[string, readonly EventFrame[], string]>([
    ['a record again', [STARTED, STARTED], 'record 1 after 1'],
    ['a record too few', [STARTED, record(3, 'RESUMED')], 'record 3 after 1'],
    ['a delta again', [STARTED, HALF, HALF], 'a delta of b1 at 0, not 2'],
    ['a delta too few', [STARTED, REST], 'a delta of b1 at 2, not 0'],
    ['an empty delta', [STARTED, delta('1~b1.0', 0, '')], 'a delta of b1 is empty'],
    ['half a character', [STARTED, delta('1~b1.1', 0, '\ud83d')], 'cuts a character in two'],
    ['a delta of what is complete', [STARTED, HALF, REST, ANSWER, REST], 'which is closed'],
    ['a block again', [STARTED, HALF, REST, ANSWER, ANSWER], 'was closed before'],
    ['another text', [STARTED, HALF, ANSWER], 'had "Ha" in deltas and has "Half"'],
    ['an event after the end', [STARTED, HALF, REST, ANSWER, END, END], 'after the end'],
    ['another cursor', [STARTED, { ...HALF, id: '1~b1.1' }], 'cursor 1~b1.1, not 1~b1.2'],
    ['no cursor', [{ ...STARTED, id: '' }], 'cursor , not 1'],
    ['another name', [{ ...STARTED, event: 'answer' }], 'answer has the type'],
    ['a record without time', [record(1, 'INTERACTION_STARTED', { at: '' })], 'has no time'],
    ['a trace', [{ id: '', event: 'trace', data: { type: 'TRACE', ...OF } as never }], 'neither'],
    ['a long id of a block', [STARTED, delta('', 0, 'Ha', 'b'.repeat(33))], 'the block id bbb'],
    ['an event without agent', [record(1, 'ANSWER', { agent_id: '' })], 'does not say whose it is'],
  ])('reports %s', (_, frames, fault) => {
    expect(faultsOf(frames).join()).toContain(fault);
  });
});
