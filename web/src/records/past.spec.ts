import { describe, expect, it } from '@jest/globals';
import { atSeq, fold } from 'parley/client';
import type { Conversation, RecordEvent } from 'parley/client';
import { stateAt, viewAt } from './past';

const ID = 'int_1';

function record(seq: number, more: object): RecordEvent {
  const at = new Date(seq * 1000).toISOString();
  return { interaction_id: ID, agent_id: 'agent_1', seq, at, ...more } as RecordEvent;
}

function log(length: number): RecordEvent[] {
  const started = { type: 'INTERACTION_STARTED', chat_id: 'c', user_message: 'Hi', agent: 'react' };
  const first = record(1, { ...started, model: 'demo/script', parent_id: null });
  const calls = Array.from({ length: length - 1 }, (_, index) => {
    const id = `call_${index >> 1}`;
    return index % 2 === 0
      ? record(index + 2, { type: 'TOOL_CALL', id, block_id: `b${index}`, tool_input: '{}' })
      : record(index + 2, { type: 'TOOL_RESULT', id, tool_output: 'x', is_error: false });
  });
  return [first, ...calls];
}

describe(stateAt.name, () => {
  const records = log(700);
  const whole = records.reduce<Conversation | undefined>(fold, undefined)!;

  it.each([1, 2, 249, 250, 251, 500, 699, 700])('is what the client says at record %d', (seq) => {
    expect(stateAt(records, seq)!.interactions).toEqual(atSeq(whole, seq, ID).interactions);
  });

  it('begins at the first record and ends at the last', () => {
    expect(stateAt(records, 0)!.interactions[ID]!.seq).toBe(1);
    expect(stateAt(records, 9999)!.interactions[ID]!.seq).toBe(700);
    expect(stateAt([], 1)).toBeUndefined();
  });

  it('goes on with a log that grew', () => {
    const grown = [...records, record(701, { type: 'ANSWER', block_id: 'z', content: '42' })];
    expect(stateAt(grown, 701)!.interactions[ID]!.answer).toBe('42');
  });
});

describe(viewAt.name, () => {
  it('leaves the view that it was given', () => {
    const records = log(4);
    const conversation = records.reduce<Conversation | undefined>(fold, undefined)!;
    const view = { conversation, history: {} } as unknown as Parameters<typeof viewAt>[0];
    const past = viewAt(view, ID, stateAt(records, 2)!);
    expect(past.conversation!.interactions[ID]!.seq).toBe(2);
    expect(view.conversation!.interactions[ID]!.seq).toBe(4);
  });
});
