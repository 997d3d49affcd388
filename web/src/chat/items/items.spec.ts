import type { RecordEvent } from 'parley/client';
import { itemsOf } from './items';
import type { Turn } from '../turns';

const at = '2026-01-15T10:00:00.000Z';
const common = { interaction_id: 'int_1', at };

function turn(records: readonly object[], open: Turn['open'] = {}): Turn {
  return {
    ...{ id: 'int_1', parent_id: null, user_message: 'Hi', files: [], agent: 'react' },
    ...{ model: 'demo/script', agent_id: 'agent_1', status: 'RUNNING', created_at: at },
    records: records.map((record, n) => ({
      ...common,
      seq: n + 1,
      agent_id: 'agent_1',
      ...record,
    })) as unknown as readonly RecordEvent[],
    open,
    ...{ live: null, usage: { input_tokens: 0, output_tokens: 0 }, error: null, isCut: false },
  };
}

const CALL = { type: 'TOOL_CALL', id: 'c1', block_id: 'b1', tool_name: 'agent', tool_input: '{}' };
const CHILD = { type: 'AGENT_STARTED', agent_id: 'agent_2', parent_agent_id: 'agent_1' };

describe(itemsOf.name, () => {
  it('has texts, thoughts and calls in the order of the log, then what is being written', () => {
    const open = {
      b4: { type: 'TEXT_DELTA', agent_id: 'agent_1', tool_call_id: null, text: 'So' },
      b5: { type: 'TOOL_OUTPUT_DELTA', agent_id: 'agent_1', tool_call_id: 'c1', text: 'out' },
      b6: { type: 'TEXT_DELTA', agent_id: 'agent_2', tool_call_id: null, text: 'other' },
    } as const;
    const items = itemsOf(
      turn(
        [{ type: 'THINKING', block_id: 'b0', content: 'Hm' }, CALL, { type: 'TURN_COMPLETED' }],
        open,
      ),
      'agent_1',
      [],
    );
    expect(items).toMatchObject([
      { kind: 'thinking', text: 'Hm', isOpen: false },
      { kind: 'call', key: 'b1', output: 'out', result: null },
      { kind: 'text', key: 'b4', text: 'So', isOpen: true },
    ]);
  });

  it('puts an agent into the call that has started it, and never into itself', () => {
    const log = turn([CALL, { ...CHILD, tool_call_id: 'c1' }, { ...CHILD, agent_id: 'agent_3' }]);
    expect(itemsOf(log, 'agent_1', [])).toMatchObject([
      { kind: 'call', agents: ['agent_2'] },
      { kind: 'agent', agent_id: 'agent_3' },
    ]);
    expect(itemsOf(log, 'agent_2', [])).toEqual([]);
  });

  it('shows the text that an agent has returned in place of its answer', () => {
    const answer = { type: 'ANSWER', block_id: 'b0', content: 'Yes.' };
    const returned = { type: 'ANSWER', block_id: 'b1', content: 'Yes. (signed)', replaces: 'b0' };
    expect(itemsOf(turn([answer]), 'agent_1', [])).toMatchObject([{ text: 'Yes.' }]);
    expect(itemsOf(turn([answer, returned]), 'agent_1', [])).toMatchObject([
      { kind: 'text', key: 'b1', text: 'Yes. (signed)' },
    ]);
  });

  it('gives arguments that are being written to the call once that is there', () => {
    const open = {
      b1: { type: 'TOOL_INPUT_DELTA', agent_id: 'agent_1', tool_call_id: 'c1', text: '{"a' },
    } as const;
    expect(itemsOf(turn([], open), 'agent_1', [])).toMatchObject([
      { kind: 'call', key: 'b1', call: null, input: '{"a' },
    ]);
    expect(itemsOf(turn([CALL], open), 'agent_1', [])).toHaveLength(1);
  });

  it('shows a question in its call, or alone', () => {
    const asked = { type: 'INPUT_REQUIRED', request_id: 'r1', question: 'Why?' };
    const requests = [{ id: 'r1', kind: 'input', status: 'pending' }] as never;
    expect(itemsOf(turn([asked]), 'agent_1', requests)).toMatchObject([{ kind: 'question' }]);
    const ofCall = turn([CALL, { ...asked, tool_call_id: 'c1' }]);
    expect(itemsOf(ofCall, 'agent_1', requests).map(({ kind }) => kind)).toEqual(['call']);
  });
});
