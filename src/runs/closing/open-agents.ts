import type { LogRecord } from '../../persistence/rows/log-record.js';
import { agentEndKey } from '../journal/agent-end-key.js';

/** A child agent that has begun and not ended. */
export interface OpenAgent {
  readonly agent_id: string;
  readonly parent_agent_id: string;
  readonly agent_type: string;
  /** The journal key of its end. */
  readonly end_key: string;
}

/** The child agents of an interaction that have not ended: a fold over its log. */
export class OpenAgents {
  /** Parents before their children. */
  private readonly open = new Map<string, OpenAgent>();

  apply({ agent_id, key, body }: LogRecord): void {
    switch (body.type) {
      case 'AGENT_STARTED': {
        const { parent_agent_id, agent_type } = body;
        const end_key = agentEndKey(key ?? '');
        this.open.set(agent_id, { agent_id, parent_agent_id, agent_type, end_key });
        return;
      }
      case 'AGENT_COMPLETED':
        this.open.delete(agent_id);
        return;
      default:
    }
  }

  /** All of them, children before their parents. */
  all(): readonly OpenAgent[] {
    return [...this.open.values()].reverse();
  }

  /** This one and those below it, children before their parents. */
  tree(agentId: string): readonly OpenAgent[] {
    const ids = new Set([agentId]);
    for (const { agent_id, parent_agent_id } of this.open.values())
      if (ids.has(parent_agent_id)) ids.add(agent_id);
    return this.all().filter(({ agent_id }) => ids.has(agent_id));
  }
}
