import type { AgentNode, RecordEvent } from 'parley/client';

type LiveState = NonNullable<AgentNode['now']>['state'];
export type AgentState = LiveState | 'cancelled';

/** An agent of a turn, as its records and the stream of the chat tell it. */
export interface AgentRow {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly prompt: string;
  readonly result: string | null;
  readonly state: AgentState;
  readonly hasEnded: boolean;
  /** The tool that it runs, or waits to run. */
  readonly tool_name: string | null;
  readonly tokens: number;
  /** null: prices are not known. */
  readonly cost_usd: number | null;
  readonly calls: number;
  /** In ms since 1970. */
  readonly started_at: number;
  readonly ended_at: number | null;
  /** Below it, in the order in which they began. */
  readonly children: readonly AgentRow[];
}

interface Gathered {
  readonly id: string;
  type: string;
  parent_id: string | null;
  prompt: string;
  result: string | null;
  ended: AgentState | null;
  started_at: number;
  ended_at: number | null;
  tokens: number;
  cost_usd: number | null;
  calls: number;
  /** Tools by their calls: without a result, and those that have begun. */
  readonly open: Map<string, { readonly tool_name: string; readonly hasStarted: boolean }>;
  /** Kinds of requests that are pending, by id. */
  readonly asks: Map<string, 'waiting_permission' | 'awaiting_user'>;
  readonly children: string[];
}

type Live = ReadonlyMap<string, AgentNode>;

/**
 * The tree of agents of one turn.
 * @param live says what they do right now, if the page follows them
 */
export function treeOf(
  records: readonly RecordEvent[],
  live: readonly AgentNode[] = [],
): AgentRow | undefined {
  const agents = new Map<string, Gathered>();
  let root: string | undefined;
  for (const record of records) {
    if (record.type === 'INTERACTION_STARTED') root = record.agent_id;
    take(agents, record);
  }
  const top = root === undefined ? undefined : agents.get(root);
  return top && toRow(agents, top, new Map(live.map((each) => [each.id, each])));
}

/** All agents of a tree, each before those below it. */
export function flat(row: AgentRow): readonly AgentRow[] {
  return [row, ...row.children.flatMap(flat)];
}

const ENDS = { COMPLETED: 'completed', FAILED: 'error', CANCELLED: 'cancelled' } as const;

function take(agents: Map<string, Gathered>, record: RecordEvent): void {
  const at = Date.parse(record.at);
  if (record.type === 'INTERACTION_STARTED') {
    const { agent: type, user_message: prompt } = record;
    agents.set(record.agent_id, begin(record.agent_id, { type, prompt, parent_id: null, at }));
  }
  if (record.type === 'AGENT_STARTED') {
    const { agent_type: type, prompt, parent_agent_id: parent_id } = record;
    agents.set(record.agent_id, begin(record.agent_id, { type, prompt, parent_id, at }));
    agents.get(parent_id)?.children.push(record.agent_id);
  }
  if (record.type === 'INTERACTION_COMPLETE') return endAll(agents, record.status, at);
  if (record.type === 'RESUMED') for (const it of agents.values()) reopenRoot(it);
  const agent = agents.get(record.agent_id);
  if (agent) takeOwn(agent, record, at);
}

function takeOwn(agent: Gathered, record: RecordEvent, at: number): void {
  switch (record.type) {
    case 'TURN_COMPLETED': {
      const { input_tokens, output_tokens, cost_usd } = record.usage;
      agent.tokens += input_tokens + output_tokens;
      if (cost_usd !== undefined) agent.cost_usd = (agent.cost_usd ?? 0) + cost_usd;
      return;
    }
    case 'TOOL_CALL':
      agent.calls++;
      agent.open.set(record.id, { tool_name: record.tool_name, hasStarted: false });
      return;
    case 'TOOL_STARTED':
      agent.open.set(record.id, { tool_name: record.tool_name, hasStarted: true });
      return;
    case 'TOOL_RESULT':
      agent.open.delete(record.id);
      agent.asks.delete(record.id);
      return;
    case 'APPROVAL_REQUIRED':
      agent.asks.set(record.approval_id, 'waiting_permission');
      return;
    case 'INPUT_REQUIRED':
      agent.asks.set(record.request_id, 'awaiting_user');
      return;
    case 'TOOL_RESULT_REQUIRED':
      agent.asks.set(record.tool_call_id, 'awaiting_user');
      return;
    case 'APPROVED':
    case 'REJECTED':
      agent.asks.delete(record.approval_id);
      return;
    case 'INPUT_RECEIVED':
      agent.asks.delete(record.request_id);
      return;
    case 'AGENT_COMPLETED':
      agent.ended = record.status;
      agent.ended_at = at;
      agent.result = record.result;
      return;
    default:
  }
}

function begin(
  id: string,
  {
    type,
    prompt,
    parent_id,
    at,
  }: { type: string; prompt: string; parent_id: string | null; at: number },
): Gathered {
  const nothing = {
    result: null,
    ended: null,
    ended_at: null,
    tokens: 0,
    cost_usd: null,
    calls: 0,
  };
  const maps = { open: new Map(), asks: new Map(), children: [] };
  return { id, type, parent_id, prompt, started_at: at, ...nothing, ...maps };
}

function endAll(agents: Map<string, Gathered>, status: keyof typeof ENDS, at: number): void {
  for (const agent of agents.values()) {
    if (agent.ended !== null) continue;
    agent.ended = agent.parent_id === null ? ENDS[status] : 'cancelled';
    agent.ended_at = at;
  }
}

/** An interaction that had ended is tried again. */
function reopenRoot(agent: Gathered): void {
  if (agent.parent_id === null) [agent.ended, agent.ended_at] = [null, null];
}

function toRow(agents: Map<string, Gathered>, agent: Gathered, live: Live): AgentRow {
  const children = agent.children.map((id) => toRow(agents, agents.get(id)!, live));
  const { id, type, parent_id, prompt, result, started_at, ended_at, tokens, cost_usd } = agent;
  const now = agent.ended === null ? (live.get(id)?.now ?? null) : null;
  const state = agent.ended ?? now?.state ?? guess(agent, children);
  const tool_name = agent.ended === null ? (now?.tool_name ?? runningTool(agent)) : null;
  return {
    ...{ id, type, parent_id, prompt, result, state, tool_name, started_at, ended_at },
    ...{ tokens, cost_usd, calls: agent.calls, hasEnded: agent.ended !== null, children },
  };
}

/** Where the stream has not told the state. */
function guess(agent: Gathered, children: readonly AgentRow[]): AgentState {
  const [ask] = agent.asks.values();
  if (ask) return ask;
  if (children.some(({ hasEnded }) => !hasEnded)) return 'waiting_subagent';
  return [...agent.open.values()].some(({ hasStarted }) => hasStarted)
    ? 'executing_tool'
    : 'processing';
}

function runningTool({ open }: Gathered): string | null {
  const calls = [...open.values()];
  return (calls.findLast(({ hasStarted }) => hasStarted) ?? calls.at(-1))?.tool_name ?? null;
}
