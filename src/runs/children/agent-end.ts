import type { AgentStatus, EventError } from '../../protocol/events.js';

/** How a child agent ended. */
export interface AgentEnd {
  readonly status: AgentStatus;
  /** Its answer, or why it has none. */
  readonly result: string;
  /** Of what it failed with. */
  readonly code?: string;
}

/** What an AGENT_COMPLETED record hides from clients. */
export type AgentEndJournal = Pick<EventError, 'code'> | null;
