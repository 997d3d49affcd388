import { describe, expect, it } from '@jest/globals';
import type { AgentNode, RecordEvent } from 'parley/client';
import { flat, treeOf } from './tree';

let seq = 0;

function record(agent_id: string, type: string, more: object = {}): RecordEvent {
  const at = new Date(++seq * 1000).toISOString();
  return { interaction_id: 'int_1', agent_id, seq, at, type, ...more } as unknown as RecordEvent;
}

function begun(): RecordEvent[] {
  seq = 0;
  return [
    record('a', 'INTERACTION_STARTED', { agent: 'react', user_message: 'Go' }),
    record('a', 'TURN_COMPLETED', { usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.1 } }),
    record('a', 'TOOL_CALL', { id: 'c1', tool_name: 'agent' }),
    record('a', 'TOOL_STARTED', { id: 'c1', tool_name: 'agent' }),
    record('b', 'AGENT_STARTED', { agent_type: 'coder', prompt: 'Do', parent_agent_id: 'a' }),
    record('b', 'TOOL_CALL', { id: 'c2', tool_name: 'bash' }),
  ];
}

describe(treeOf.name, () => {
  it('has agents of any depth, each with what it has used', () => {
    const records = [
      ...begun(),
      record('c', 'AGENT_STARTED', { agent_type: 'react', prompt: 'Deep', parent_agent_id: 'b' }),
      record('c', 'TURN_COMPLETED', { usage: { input_tokens: 1, output_tokens: 1 } }),
    ];
    const rows = flat(treeOf(records)!);
    expect(rows.map(({ id, tokens, cost_usd }) => [id, tokens, cost_usd])).toEqual([
      ['a', 15, 0.1],
      ['b', 0, null],
      ['c', 2, null],
    ]);
    expect(rows[0]!.children[0]!.children[0]!.prompt).toBe('Deep');
  });

  it('says from the records what each does', () => {
    const asked = [...begun(), record('b', 'APPROVAL_REQUIRED', { approval_id: 'p' })];
    const [root, child] = flat(treeOf(asked)!);
    expect([root!.state, child!.state, child!.tool_name]).toEqual([
      'waiting_subagent',
      'waiting_permission',
      'bash',
    ]);
    const approved = [
      ...asked,
      record('b', 'APPROVED', { approval_id: 'p' }),
      record('b', 'TOOL_STARTED', { id: 'c2', tool_name: 'bash' }),
    ];
    expect(treeOf(approved)!.children[0]!.state).toBe('executing_tool');
  });

  it('believes the stream while an agent runs, and its end', () => {
    const now = { state: 'thinking' } as NonNullable<AgentNode['now']>;
    const live = [{ id: 'b', now } as AgentNode];
    expect(treeOf(begun(), live)!.children[0]!.state).toBe('thinking');
    const ended = record('b', 'AGENT_COMPLETED', { status: 'completed', result: 'Done' });
    const child = treeOf([...begun(), ended], live)!.children[0]!;
    expect([child.state, child.result, child.ended_at]).toEqual(['completed', 'Done', 7000]);
  });

  it('ends all with the interaction', () => {
    const records = [...begun(), record('a', 'INTERACTION_COMPLETE', { status: 'CANCELLED' })];
    const rows = flat(treeOf(records)!);
    expect(rows.map(({ state, hasEnded }) => [state, hasEnded])).toEqual([
      ['cancelled', true],
      ['cancelled', true],
    ]);
  });

  it('is nothing without a beginning', () => {
    expect(treeOf([])).toBeUndefined();
  });
});
