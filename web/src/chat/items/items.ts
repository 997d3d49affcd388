import type { OpenBlock, RecordEvent, RecordOf, RequestState, ToolCall } from 'parley/client';
import type { Requests, Turn } from '../turns';

/** A part of an agent's work, as a reader sees it. */
export type Item =
  | {
      readonly kind: 'text';
      readonly key: string;
      readonly text: string;
      readonly isOpen: boolean;
      readonly isPartial: boolean;
      readonly seq: number | null;
    }
  | {
      readonly kind: 'thinking';
      readonly key: string;
      readonly text: string;
      readonly isOpen: boolean;
      readonly seq: number | null;
    }
  | CallItem
  | {
      readonly kind: 'question';
      readonly key: string;
      readonly request: RequestState;
      readonly seq: number;
    }
  | {
      readonly kind: 'agent';
      readonly key: string;
      readonly agent_id: string;
      readonly seq: number;
    }
  | {
      readonly kind: 'line';
      readonly key: string;
      readonly record: LineRecord;
      readonly seq: number;
    };

export interface CallItem {
  readonly kind: 'call';
  readonly key: string;
  readonly seq: number | null;
  /** Null while its arguments are being written. */
  readonly call: RecordOf<'TOOL_CALL'> | null;
  /** JSON text as the model wrote it, maybe only its beginning. */
  readonly input: string;
  readonly hasStarted: boolean;
  readonly startedAt: string | null;
  readonly request: RequestState | null;
  readonly result: RecordOf<'TOOL_RESULT'> | null;
  /** Output so far of one that runs. */
  readonly output: string | null;
  /** Agents that the call has started. */
  readonly agents: readonly string[];
}

/** Records that are told in one line. */
export type LineRecord = RecordOf<
  'NOTICE' | 'RESUMED' | 'CANCELLED' | 'ERROR' | 'AGENT_INTERVENED' | 'CUSTOM'
>;
const LINES = new Set(['NOTICE', 'RESUMED', 'CANCELLED', 'ERROR', 'AGENT_INTERVENED', 'CUSTOM']);

/** The items of one agent of a turn: its own, and where it has started others. */
export function itemsOf(turn: Turn, agentId: string, requests: Requests): readonly Item[] {
  const own = withoutReplaced(turn.records.filter((record) => isOf(record, agentId)));
  const blocks = Object.entries(turn.open).filter(([, { agent_id }]) => agent_id === agentId);
  const called = new Set<string>();
  const facts = factsOf(turn, requests);
  const items: Item[] = [];
  for (const record of own) {
    const item = itemOf(record, { facts, called });
    if (item) items.push(item);
  }
  for (const [id, block] of blocks) {
    const item = openItem(id, block, called);
    if (item) items.push(item);
  }
  const last = items.at(-1);
  // A model that has begun with something else has thought enough.
  return items.map((item) =>
    item.kind === 'thinking' && item.isOpen && item !== last ? { ...item, isOpen: false } : item,
  );
}

/** The beginning of a child has the child's id, and is told where its parent has started it. */
function isOf(record: RecordEvent, agentId: string): boolean {
  const { type, agent_id } = record;
  return (type === 'AGENT_STARTED' ? record.parent_agent_id : agent_id) === agentId;
}

/** Without answers in whose place the agent has returned another text. */
function withoutReplaced(records: readonly RecordEvent[]): readonly RecordEvent[] {
  const replaced = new Set(
    records.flatMap((record) => (record.type === 'ANSWER' ? (record.replaces ?? []) : [])),
  );
  return records.filter((record) => record.type !== 'ANSWER' || !replaced.has(record.block_id));
}

interface Context {
  readonly facts: Facts;
  /** Calls that have an item. */
  readonly called: Set<string>;
}

/** Facts of calls that stand in other records, by the ids of the calls; requests by their own. */
interface Facts {
  readonly calls: ReadonlyMap<string, ToolCall>;
  readonly requests: ReadonlyMap<string, RequestState>;
  readonly started: ReadonlyMap<string, string>;
  readonly results: ReadonlyMap<string, RecordOf<'TOOL_RESULT'>>;
  readonly agents: ReadonlyMap<string, readonly string[]>;
  readonly outputs: ReadonlyMap<string, string>;
}

function factsOf({ records, open, live }: Turn, asked: Requests): Facts {
  const started = new Map<string, string>();
  const results = new Map<string, RecordOf<'TOOL_RESULT'>>();
  const agents = new Map<string, string[]>();
  for (const it of records) {
    if (it.type === 'TOOL_STARTED') started.set(it.id, it.at);
    if (it.type === 'TOOL_RESULT') results.set(it.id, it);
    if (it.type === 'AGENT_STARTED' && it.tool_call_id !== undefined)
      agents.set(it.tool_call_id, [...(agents.get(it.tool_call_id) ?? []), it.agent_id]);
  }
  const outputs = new Map<string, string>();
  for (const { type, tool_call_id, text } of Object.values(open))
    if (type === 'TOOL_OUTPUT_DELTA' && tool_call_id !== null) outputs.set(tool_call_id, text);
  const calls = new Map(live?.calls.map((call) => [call.id, call]));
  const requests = new Map(asked.map((request) => [request.id, request]));
  return { calls, requests, started, results, agents, outputs };
}

function itemOf(record: RecordEvent, context: Context): Item | undefined {
  const { facts, called } = context;
  const { seq } = record;
  switch (record.type) {
    case 'MESSAGE':
    case 'ANSWER': {
      const isPartial = record.type === 'ANSWER' && record.partial === true;
      return {
        kind: 'text',
        key: record.block_id,
        text: record.content,
        isOpen: false,
        isPartial,
        seq,
      };
    }
    case 'THINKING':
      return { kind: 'thinking', key: record.block_id, text: record.content, isOpen: false, seq };
    case 'TOOL_CALL':
      called.add(record.id);
      return callItem(record, context);
    case 'INPUT_REQUIRED': {
      const request = facts.requests.get(record.request_id);
      const isOfCall = record.tool_call_id !== undefined && called.has(record.tool_call_id);
      return request && !isOfCall
        ? { kind: 'question', key: record.request_id, request, seq }
        : undefined;
    }
    case 'AGENT_STARTED':
      return record.tool_call_id !== undefined && called.has(record.tool_call_id)
        ? undefined
        : { kind: 'agent', key: record.agent_id, agent_id: record.agent_id, seq };
    default:
      return LINES.has(record.type)
        ? { kind: 'line', key: `${seq}`, record: record as LineRecord, seq }
        : undefined;
  }
}

function callItem(call: RecordOf<'TOOL_CALL'>, { facts }: Context): CallItem {
  const { has_started, request_id } = facts.calls.get(call.id) ?? {};
  return {
    kind: 'call',
    key: call.block_id,
    seq: call.seq,
    call,
    input: call.tool_input,
    hasStarted: has_started ?? true,
    startedAt: facts.started.get(call.id) ?? null,
    request: (request_id && facts.requests.get(request_id)) || null,
    result: facts.results.get(call.id) ?? null,
    output: facts.outputs.get(call.id) ?? null,
    agents: facts.agents.get(call.id) ?? [],
  };
}

function openItem(key: string, block: OpenBlock, called: Set<string>): Item | undefined {
  const { text } = block;
  switch (block.type) {
    case 'TEXT_DELTA':
      return { kind: 'text', key, text, isOpen: true, isPartial: false, seq: null };
    case 'THINKING_DELTA':
      return { kind: 'thinking', key, text, isOpen: true, seq: null };
    case 'TOOL_INPUT_DELTA':
      if (block.tool_call_id !== null && called.has(block.tool_call_id)) return undefined;
      return {
        ...{ kind: 'call', key, seq: null, call: null, input: text, hasStarted: false },
        ...{ startedAt: null, request: null, result: null, output: null, agents: [] },
      };
    default:
      return undefined;
  }
}
