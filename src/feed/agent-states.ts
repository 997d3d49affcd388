import type { StreamEvent } from '../event-log/follow/stream-event.js';
import type { AgentNode } from '../agents/tree/agent-node.js';
import { AgentTree } from '../agents/tree/agent-tree.js';
import { pagesOf, TREE_TYPES } from '../agents/tree/read-tree.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { RecordStore } from '../persistence/record.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { RecordEvent } from '../protocol/events.js';
import type { AgentState } from '../protocol/wire/agent.js';
import type { AgentFocus } from '../protocol/wire/agent.js';

export interface StateOfAgent extends AgentFocus {
  readonly agent_id: string;
  readonly state: AgentState;
}

/** The states of the agents of one interaction: a fold over the events that one reader gets. */
export class AgentStates {
  /** The last state that was sent of each agent, as JSON. */
  private readonly told = new Map<string, string>();
  private readonly thinking = new Set<string>();
  private isChanged = true;

  private constructor(private readonly tree: AgentTree) {}

  /** @param seq the last record that the reader has */
  static async open(records: RecordStore, row: InteractionRow, seq: number): Promise<AgentStates> {
    const tree = new AgentTree(row);
    if (seq > 0)
      for await (const page of pagesOf(records, row.id, TREE_TYPES))
        for (const record of page)
          if (record.seq <= seq && record.body.type !== 'INTERACTION_COMPLETE') tree.apply(record);
    return new AgentStates(tree);
  }

  /** True if it may change what an agent does. */
  apply(event: StreamEvent): boolean {
    const { agent_id } = event;
    const isThought = event.type === 'THINKING_DELTA';
    const hasThought = this.thinking.has(agent_id);
    if ('seq' in event) {
      this.tree.apply(toRecord(event));
      this.isChanged = true;
    }
    if (isThought === hasThought) return this.isChanged;
    if (isThought) this.thinking.add(agent_id);
    else this.thinking.delete(agent_id);
    return (this.isChanged = true);
  }

  /** Returns the states that have changed since the last call. */
  takeChanges(): StateOfAgent[] {
    if (!this.isChanged) return [];
    this.isChanged = false;
    const changes: StateOfAgent[] = [];
    for (const node of this.tree.agents) {
      const now = this.stateOf(node);
      const text = JSON.stringify(now);
      if (this.told.get(node.id) !== text) changes.push(now);
      this.told.set(node.id, text);
    }
    return changes;
  }

  private stateOf(node: AgentNode): StateOfAgent {
    const { id: agent_id, focus, state } = node;
    const isThinking = state === 'processing' && this.thinking.has(agent_id);
    return { agent_id, state: isThinking ? 'thinking' : state, ...focus };
  }
}

function toRecord(event: RecordEvent): LogRecord {
  const { interaction_id, agent_id, seq, at, ...body } = event;
  const origin = { interaction_id, seq, epoch: 0, agent_id, at, key: null };
  return { ...origin, body, hidden: null };
}
