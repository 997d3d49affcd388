import type { LogRecord } from '../../../persistence/rows/log-record.js';
import { startedState } from '../../memory/core/interaction-state.js';
import {
  decodeAddedMessages,
  decodeCommit,
  decodeRecord,
  encodeAppend,
  isCommit,
  isRecord,
  seqOf,
  typeOf,
} from './log-format.js';

const record: LogRecord = {
  interaction_id: 'int_1',
  seq: 1204,
  epoch: 3,
  agent_id: 'agent_1',
  at: '2026-01-15T10:00:00.000Z',
  key: null,
  body: { type: 'MESSAGE', block_id: 'b1', content: '\n{"commit":\u2028\ud800\u0000' },
  hidden: null,
};

describe(encodeAppend.name, () => {
  const state = startedState(null, { parent_id: null, branch_version: 1 });
  const added_messages = [{ role: 'user', content: 'ü' } as const];
  const append = encodeAppend({ records: [record], added_messages }, state);
  const lines = append.bytes.toString().split('\n');

  it('writes one line each, the commit last, and says how long they are', () => {
    expect(lines.map((line) => line.slice(0, 8))).toEqual(['{"seq":1', '{"end":{', '{"commit', '']);
    const [first, end, commit] = lines.map((line) => Buffer.from(line));
    expect([isRecord(first!), isRecord(end!), isRecord(commit!)]).toEqual([true, false, false]);
    expect([isCommit(first!), isCommit(end!), isCommit(commit!)]).toEqual([false, false, true]);
    expect(decodeCommit(commit!)).toEqual({
      records: 1,
      bytes: first!.length + end!.length + 2,
      end_bytes: end!.length + 1,
      state,
    });
    expect(append).toMatchObject({ end_bytes: end!.length + 1, commit_bytes: commit!.length + 1 });
  });

  it('gives back what was written', () => {
    expect(decodeRecord('int_1', Buffer.from(lines[0]!))).toEqual(record);
    expect(seqOf(Buffer.from(lines[0]!))).toBe(1204);
    expect(typeOf(Buffer.from(lines[0]!))).toBe('MESSAGE');
    expect(decodeAddedMessages(Buffer.from(lines[1]!))).toEqual(added_messages);
  });
});

describe(decodeCommit.name, () => {
  it('answers nothing for a line that is cut, or another one', () => {
    for (const line of ['', '{"commit":', '{"commit":{"records":1', '{"seq":1}']) {
      expect(decodeCommit(Buffer.from(line))).toBeUndefined();
    }
  });
});
