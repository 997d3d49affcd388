import type { EventOf, UiChunk } from './ui-chunk.js';

type Fields = Readonly<Record<string, unknown>>;

/** The children of the root agent, each a part that its changes replace. */
export class Agents {
  private readonly agents = new Map<string, Fields>();

  start(event: EventOf<'AGENT_STARTED'>): UiChunk {
    const { agent_id, parent_agent_id, agent_type, prompt, tool_call_id } = event;
    const about = { agent_id, parent_agent_id, agent_type, prompt, tool_call_id };
    return this.change(agent_id, { ...about, status: 'running' });
  }

  /** A text of its own. */
  say({ agent_id, content: text }: EventOf<'MESSAGE'>): UiChunk {
    return this.change(agent_id, { text });
  }

  complete({ agent_id, status, result }: EventOf<'AGENT_COMPLETED'>): UiChunk {
    const chunk = this.change(agent_id, { status, result });
    this.agents.delete(agent_id);
    return chunk;
  }

  private change(id: string, fields: Fields): UiChunk {
    const data = { ...this.agents.get(id), ...fields };
    this.agents.set(id, data);
    return { type: 'data-agent', id, data };
  }
}
