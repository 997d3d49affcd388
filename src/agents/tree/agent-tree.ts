import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { AgentNode } from './agent-node.js';

/** Deepest level that is shown: an imported log may nest agents without bound. */
const MAX_DEPTH = 32;

export type RootOf = Pick<InteractionRow, 'agent_id' | 'agent' | 'user_message' | 'metadata'>;

/** The agents of one interaction: a fold over its log. */
export class AgentTree {
  private readonly nodes = new Map<string, AgentNode>();

  private first: AgentNode;

  constructor({ agent_id, agent, user_message, metadata }: RootOf) {
    const unknown = {
      parent_agent_id: null,
      parent_tool_call_id: null,
      started_at: null,
      depth: 0,
    };
    const named = { agent_id, agent_type: agent, prompt: user_message, metadata };
    this.first = new AgentNode({ ...unknown, ...named });
    this.nodes.set(agent_id, this.first);
  }

  get root(): AgentNode {
    return this.first;
  }

  get agents(): Iterable<AgentNode> {
    return this.nodes.values();
  }

  find(agentId: string): AgentNode | undefined {
    return this.nodes.get(agentId);
  }

  apply(record: LogRecord): void {
    const { body, agent_id } = record;
    if (body.type === 'INTERACTION_STARTED') this.begin(record);
    else if (isRecordOf(record, 'AGENT_STARTED')) this.fork(record);
    else if (body.type === 'INTERACTION_COMPLETE') this.root.apply(record);
    else this.nodes.get(agent_id)?.apply(record);
  }

  private begin({ at }: LogRecord): void {
    const { beginning, hasEnded } = this.root;
    if (beginning.started_at !== null || hasEnded) return;
    this.first = new AgentNode({ ...beginning, started_at: at });
    this.nodes.set(this.first.id, this.first);
  }

  /** Adds an agent whose parent exists and has not ended; once. */
  private fork({ agent_id, body, at, hidden }: LogRecord<'AGENT_STARTED'>): void {
    if (this.nodes.has(agent_id)) return;
    const parent = this.nodes.get(body.parent_agent_id);
    if (!parent || parent.hasEnded || parent.beginning.started_at === null) return;
    const depth = parent.beginning.depth + 1;
    if (depth > MAX_DEPTH) return;
    const { parent_agent_id, agent_type, prompt, tool_call_id: parent_tool_call_id = null } = body;
    const child = new AgentNode({
      ...{ agent_id, agent_type, parent_agent_id, parent_tool_call_id, prompt, depth },
      ...{ started_at: at, metadata: hidden?.metadata ?? parent.beginning.metadata },
    });
    parent.children.push(child);
    this.nodes.set(agent_id, child);
  }
}
