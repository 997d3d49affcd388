/**
 * The state of an agent. `idle`: queued. `modified`: a person changed its task, and it has not
 * responded yet. `deleted`: stopped before it was done, by a person or with an agent above it.
 */
export const AGENT_STATES = [
  'idle',
  'processing',
  'waiting_permission',
  'awaiting_user',
  'executing_tool',
  'waiting_subagent',
  'completed',
  'deleted',
  'modified',
  'error',
] as const;

export type TreeState = (typeof AGENT_STATES)[number];
