import { newRecord } from '../../../test/contracts/interaction-store/fixtures.js';
import type { RecordBody } from '../../protocol/events.js';
import type { FrameItem } from './live-bus.js';
import { OpenBlocks } from './open-blocks.js';

function delta(block_id: string, offset: number, text: string): FrameItem {
  const delta = { type: 'TEXT_DELTA', block_id, offset, delta: text } as const;
  return { kind: 'delta', agent_id: 'agent_root', delta };
}

function record(body: RecordBody): FrameItem {
  return { kind: 'record', record: newRecord('int_1', 2, { body }) };
}

describe(OpenBlocks.name, () => {
  let blocks: OpenBlocks;
  beforeEach(() => {
    blocks = new OpenBlocks();
    for (const item of [delta('a', 0, 'he'), delta('b', 0, 'x'), delta('a', 2, 'llo')])
      blocks.apply(item);
  });
  const texts = (): Record<string, string> =>
    Object.fromEntries(blocks.list().map(({ delta, text }) => [delta.block_id, text]));

  it('holds the whole text so far of each block, and what its deltas are', () => {
    expect(blocks.list()).toEqual([
      { agent_id: 'agent_root', delta: { type: 'TEXT_DELTA', block_id: 'a' }, text: 'hello' },
      { agent_id: 'agent_root', delta: { type: 'TEXT_DELTA', block_id: 'b' }, text: 'x' },
    ]);
  });

  it('hands out what grows no more', () => {
    const [a] = blocks.list();
    blocks.apply(delta('a', 5, '!'));
    expect(a?.text).toBe('hello');
  });

  it.each<[string, RecordBody]>([
    ['the record that completes it', { type: 'ANSWER', block_id: 'a', content: 'hello' }],
    ['a notice that voids it', { type: 'NOTICE', code: 'retry', message: 'Again.', void: ['a'] }],
    [
      'the result of the tool whose output it is',
      {
        type: 'TOOL_RESULT',
        id: 'call_1',
        block_id: 'a',
        tool_name: 'bash',
        tool_output: '',
        is_error: false,
        duration_ms: 1,
      },
    ],
  ])('forgets a block with %s', (_what, body) => {
    blocks.apply(record(body));
    expect(texts()).toEqual({ b: 'x' });
  });

  it('forgets all blocks when the run is taken up again', () => {
    blocks.apply(record({ type: 'RESUMED', attempt: 2, reason: 'lost' }));
    expect(texts()).toEqual({});
  });

  it('keeps what is sure of a block of which something is missing or repeated', () => {
    for (const item of [delta('a', 6, '?'), delta('a', 0, 'he'), delta('c', 3, 'x')])
      blocks.apply(item);
    expect(texts()).toEqual({ a: 'hello', b: 'x' });
  });
});
