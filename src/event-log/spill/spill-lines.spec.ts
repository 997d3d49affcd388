import { createSecretKey, randomBytes } from 'node:crypto';
import { newBatch } from '../../../test/contracts/interaction-store/fixtures.js';
import { DataKey } from '../../encryption/data-key.js';
import type { AppendBatch } from '../../persistence/rows/append-rows.js';
import { decodeSpill, encodeSpill, sealSpill } from './spill-lines.js';

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

  it('is sealed, with what each append did, and gives it back', () => {
    const key = new DataKey('chat_uid', createSecretKey(randomBytes(32)));
    const text = BATCHES.map((batch) => sealSpill(key, batch)).join('');
    expect(text).toMatch(/"interaction_id":"int_a","epoch":3,"records":\["2 MESSAGE/);
    expect(text).not.toMatch(/Hello|break/);
    expect(decodeSpill(text, key)).toEqual({ batches: BATCHES, torn_lines: 0 });
    expect(decodeSpill(text)).toEqual({ batches: [], torn_lines: 3 });
    const moved = text.replaceAll('int_a', 'int_b');
    expect(decodeSpill(moved, key)).toEqual({ batches: [], torn_lines: 3 });
  });

  it('gives back what is before a flipped bit of a sealed text, and nothing changed', () => {
    const key = new DataKey('chat_uid', createSecretKey(randomBytes(32)));
    const [first, second] = BATCHES.map((batch) => sealSpill(key, batch));
    const bytes = Buffer.from(first + second!);
    const start = first!.length + second!.indexOf('"enc"');
    for (let at = start; at < bytes.length - 1; at++) {
      bytes[at]! ^= 1;
      const { batches, torn_lines } = decodeSpill(bytes.toString(), key);
      expect(batches.length).toBeLessThanOrEqual(torn_lines === 0 ? 2 : 1);
      expect(batches).toEqual(BATCHES.slice(0, batches.length));
      bytes[at]! ^= 1;
    }
  });
});
