import type { AgentStatus } from '../../protocol/events.js';

/** How a child agent ended. */
export interface AgentEnd {
  readonly status: AgentStatus;
  /** Its answer, or why it has none. */
  readonly result: string;
  /** Of what it failed with. */
  readonly code?: string;
}
