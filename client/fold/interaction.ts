import type { DeltaEvent, RecordEvent, RecordOf } from '../types.js';
import { change, find, put } from './conversation.js';
import type { AgentNode, InteractionState, ToolCall } from './conversation.js';
import { addUsage, NO_USAGE } from './usage.js';

const STATUS_OF_ROOT = { COMPLETED: 'completed', FAILED: 'error', CANCELLED: 'cancelled' } as const;

/** Creates the state of an interaction of which nothing is known but that it runs. */
export function beginInteraction(id: string): InteractionState {
  return {
    ...{ id, started: null, status: 'RUNNING', seq: 0, records: [], open: {}, calls: [] },
    ...{ agents: [], answer: null, error: null, metadata: {} },
    usage: NO_USAGE,
  };
}

/** The interaction after its next record, but for its status. */
export function takeRecord(before: InteractionState, record: RecordEvent): InteractionState {
  const records = [...withoutEarlierEnd(before.records), record];
  const open = stillOpen(before.open, record);
  return { ...before, seq: record.seq, records, open, ...changes(before, record) };
}

/** With a text that goes on; the same where the text is known already. */
export function takeDelta(before: InteractionState, event: DeltaEvent): InteractionState {
  const { block_id, offset, delta, type, agent_id, tool_call_id = null } = event;
  const block = find(before.open, block_id);
  if (!block && before.records.some((record) => closes(record, block_id))) return before;
  if (before.records.at(-1)?.type === 'INTERACTION_COMPLETE') return before;
  const text = block?.text ?? '';
  if (offset + delta.length <= text.length) return before;
  const grown = { type, agent_id, tool_call_id, text: text.slice(0, offset) + delta };
  return { ...before, open: { ...before.open, [block_id]: grown } };
}

/** A retried interaction has one end, the last: the server sends the earlier ones like this. */
function withoutEarlierEnd(records: readonly RecordEvent[]): readonly RecordEvent[] {
  const last = records.at(-1);
  if (last?.type !== 'INTERACTION_COMPLETE') return records;
  const { interaction_id, agent_id, seq, at, status } = last;
  const message = `The interaction had ended ${status}, and is tried again.`;
  const notice = { type: 'NOTICE', code: 'retried', message } as const;
  return [...records.slice(0, -1), { interaction_id, agent_id, seq, at, ...notice }];
}

function stillOpen(open: InteractionState['open'], record: RecordEvent): InteractionState['open'] {
  if (record.type === 'RESUMED' || record.type === 'INTERACTION_COMPLETE') return {};
  const left = Object.entries(open).filter(([id]) => !closes(record, id));
  return left.length === Object.keys(open).length ? open : Object.fromEntries(left);
}

function closes(record: RecordEvent, blockId: string): boolean {
  if (record.type === 'NOTICE') return record.void?.includes(blockId) ?? false;
  return 'block_id' in record && record.block_id === blockId;
}

function changes(before: InteractionState, record: RecordEvent): Partial<InteractionState> {
  const { calls, agents } = before;
  switch (record.type) {
    case 'INTERACTION_STARTED':
      return { started: record, agents: put(agents, rootOf(record)) };
    case 'ANSWER':
      return { answer: record.content };
    case 'TURN_COMPLETED':
      return { usage: addUsage(before.usage, record.usage) };
    case 'TOOL_CALL':
      return { calls: put(calls, callOf(record)) };
    case 'TOOL_STARTED':
      return { calls: change(calls, record.id, { has_started: true }) };
    case 'TOOL_RESULT':
      return { calls: change(calls, record.id, { result: record }) };
    case 'APPROVAL_REQUIRED':
      return { calls: change(calls, record.tool_call_id, { request_id: record.approval_id }) };
    case 'INPUT_REQUIRED':
    case 'TOOL_RESULT_REQUIRED':
      return { calls: change(calls, record.tool_call_id, { request_id: record.request_id }) };
    case 'AGENT_STARTED':
      return { agents: put(agents, childOf(record)) };
    case 'AGENT_COMPLETED': {
      const { status, result } = record;
      return { agents: change(agents, record.agent_id, { status, result, now: null }) };
    }
    case 'METADATA_SET':
      return { metadata: setKey(before.metadata, record) };
    case 'ERROR':
      return { error: { code: record.code, message: record.message } };
    case 'RESUMED':
      return { error: null, agents: withRoot(agents, 'running') };
    case 'INTERACTION_COMPLETE':
      return { agents: atRest(withRoot(agents, STATUS_OF_ROOT[record.status])) };
    default:
      return {};
  }
}

function rootOf(record: RecordOf<'INTERACTION_STARTED'>): AgentNode {
  const { agent_id: id, agent: type, user_message: prompt } = record;
  const rest = { tool_call_id: null, status: 'running', result: null, now: null } as const;
  return { id, type, parent_agent_id: null, prompt, ...rest };
}

function childOf(record: RecordOf<'AGENT_STARTED'>): AgentNode {
  const { agent_id: id, agent_type: type, parent_agent_id, prompt, tool_call_id = null } = record;
  const rest = { status: 'running', result: null, now: null } as const;
  return { id, type, parent_agent_id, prompt, tool_call_id, ...rest };
}

function callOf(call: RecordOf<'TOOL_CALL'>): ToolCall {
  return { id: call.id, call, has_started: false, request_id: null, result: null };
}

function withRoot(
  agents: InteractionState['agents'],
  status: AgentNode['status'],
): InteractionState['agents'] {
  const root = agents.find(({ parent_agent_id }) => parent_agent_id === null);
  return change(agents, root?.id, { status });
}

function atRest(agents: InteractionState['agents']): InteractionState['agents'] {
  return agents.map((agent) => ({ ...agent, now: null }));
}

function setKey(
  metadata: InteractionState['metadata'],
  { key, value }: RecordOf<'METADATA_SET'>,
): InteractionState['metadata'] {
  const { [key]: _, ...rest } = metadata;
  return value === null ? rest : { ...rest, [key]: value };
}
