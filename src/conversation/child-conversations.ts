import type { LogRecord } from '../persistence/rows/log-record.js';
import { Conversation } from './conversation.js';

/**
 * The conversations of the child agents that have begun and not ended, as far as the journal has
 * come.
 */
export class ChildConversations {
  private readonly open = new Map<string, Conversation>();
  private readonly started = new Map<string, readonly string[]>();

  apply(record: LogRecord): void {
    const { agent_id, body } = record;
    if (body.type === 'AGENT_STARTED') {
      this.open.set(agent_id, new Conversation([]));
      const { parent_agent_id } = body;
      this.started.set(parent_agent_id, [...this.childrenOf(parent_agent_id), agent_id]);
    }
    this.open.get(agent_id)?.apply(record);
    if (body.type === 'AGENT_COMPLETED') this.open.delete(agent_id);
  }

  /** Ids of the agents that it has started, in order. */
  childrenOf(agentId: string): readonly string[] {
    return this.started.get(agentId) ?? [];
  }

  /** Returns the conversation of an agent whose start was delivered. */
  get(agentId: string): Conversation {
    const found = this.open.get(agentId);
    if (!found) throw new Error(`The agent ${agentId} is not running.`);
    return found;
  }
}
