import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import { Parts } from './parts.js';

type Entry = readonly [type: string, fields?: object];

const call = (id: string): Entry => ['TOOL_CALL', { id }];
const result = (id: string): Entry => ['TOOL_RESULT', { id }];
const request = (tool_call_id: string): Entry => [
  'TOOL_RESULT_REQUIRED',
  { tool_call_id, request_id: `of ${tool_call_id}` },
];
const approval = (tool_call_id: string): Entry => [
  'APPROVAL_REQUIRED',
  { tool_call_id, approval_id: `of ${tool_call_id}` },
];
const approved = (tool_call_id: string): Entry => [
  'APPROVED',
  { approval_id: `of ${tool_call_id}` },
];

/** Of a log with these records after the first. */
function partsOf(...entries: readonly Entry[]): Parts {
  const parts = new Parts();
  const records: readonly Entry[] = [['INTERACTION_STARTED'], ...entries];
  for (const [index, [type, fields]] of records.entries()) {
    const event = {
      type,
      seq: index + 1,
      agent_id: 'agent_1',
      ...fields,
    } as unknown as StreamEvent;
    parts.take({ event, cursor: '' });
  }
  return parts;
}

const starts = (parts: Parts) =>
  Array.from({ length: 12 }, (_, at) => at).filter((at) => parts.has(at));

describe(Parts.name, () => {
  it('begin with the interaction, and after each pause', () => {
    expect(starts(partsOf(call('a')))).toEqual([0]);
    const one = [call('a'), approval('a')];
    expect(starts(partsOf(...one))).toEqual([0, 3]);
    const ran = [...one, approved('a'), result('a')];
    const parts = partsOf(...ran, call('b'), approval('b'));
    expect(starts(parts)).toEqual([0, 3, 7]);
    expect([0, 3, 7].map((start) => parts.before(start))).toEqual([undefined, 0, 3]);
  });

  it('do not begin with records that come while nothing goes on', () => {
    const parts = partsOf(call('a'), approval('a'), ['METADATA_SET'], ['RESUMED']);
    expect(starts(parts)).toEqual([0, 3]);
    expect(parts.isPaused).toBe(true);
  });

  it('go on only with the last of several results', () => {
    const asked = [call('a'), call('b'), request('a'), request('b')];
    const half = partsOf(...asked, result('a'));
    expect(starts(half)).toEqual([0, 5]);
    expect(half.isPausedBy(new Set(['of b']))).toBe(true);
    expect(half.isPausedBy(new Set(['of a']))).toBe(false);
    expect(partsOf(...asked, result('a'), result('b')).isPaused).toBe(false);
  });

  it('know which of them a decision has begun', () => {
    const one = [call('a'), approval('a'), approved('a'), result('a')];
    const parts = partsOf(...one, call('b'), approval('b'));
    expect([['of a'], ['of b'], ['of a', 'of b']].map((ids) => parts.settling(ids))).toEqual([
      ...[3, 7, 7],
    ]);
  });
});
