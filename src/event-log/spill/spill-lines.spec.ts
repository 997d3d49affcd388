import { newBatch } from '../../../test/contracts/interaction-store/fixtures.js';
import type { AppendBatch } from '../../persistence/rows/store-rows.js';
import { decodeSpill, encodeSpill } from './spill-lines.js';

const REQUEST = {
  id: 'approval_1',
  key: 'main/1.0',
  kind: 'approval' as const,
  agent_id: 'agent_root',
  created_at: '2026-01-15T10:00:00.000Z',
  expires_at: null,
  event: { reason: 'line\nbreak, \u0000 and \ud800' },
};
const END = {
  status: 'COMPLETED' as const,
  error: null,
  completed_at: '2026-01-15T10:00:00.000Z',
  added_messages: [{ role: 'user' as const, content: 'Hello' }],
};
const BATCHES: AppendBatch[] = [
  newBatch('int_a', [2, 4], { epoch: 3, status: 'WAITING_APPROVAL', requests: [REQUEST] }),
  newBatch('int_a', [5, 5], { epoch: 3, usage: { input_tokens: 1, output_tokens: 2 } }),
  newBatch('int_a', [6, 7], { epoch: 3, status: 'COMPLETED', end: END }),
];

describe('A spill file', () => {
  it('holds one line per record, and gives each append back with all that it implies', () => {
    const text = BATCHES.map(encodeSpill).join('');
    expect(text.trimEnd().split('\n')).toHaveLength(6);
    expect(decodeSpill(text)).toEqual({ batches: BATCHES, torn_lines: 0 });
  });

  it('gives back an append without records', () => {
    const batch = { interaction_id: 'int_a', epoch: 1, records: [], status: 'RUNNING' as const };
    expect(decodeSpill(encodeSpill(batch)).batches).toEqual([batch]);
  });

  it('is whole appends and what is torn, wherever it is cut off', () => {
    const text = BATCHES.map(encodeSpill).join('');
    const ends = BATCHES.map(
      (_, n) =>
        BATCHES.slice(0, n + 1)
          .map(encodeSpill)
          .join('').length,
    );
    for (let length = 0; length <= text.length; length++) {
      const { batches, torn_lines } = decodeSpill(text.slice(0, length));
      const whole = ends.filter((end) => end <= length || end === length + 1).length;
      expect(batches).toEqual(BATCHES.slice(0, whole));
      const isTorn = length > 0 && !ends.some((end) => end === length || end === length + 1);
      expect(torn_lines > 0).toBe(isTorn);
    }
  });

  it('ends at a line that cannot be read, whatever follows', () => {
    const [first, second, third] = BATCHES.map(encodeSpill);
    const { batches, torn_lines } = decodeSpill(`${first}\u0000\u0000\n${second}${third}`);
    expect(batches).toEqual(BATCHES.slice(0, 1));
    expect(torn_lines).toBe(4);
  });
});
