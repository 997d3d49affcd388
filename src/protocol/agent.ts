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

/** The state of an agent while it works, as the stream of its chat tells it. */
export const LIVE_AGENT_STATES = [
  'idle',
  'processing',
  'thinking',
  'calling_tool',
  'waiting_for_child',
  'waiting_for_human',
  'completed',
  'deleted',
  'modified',
  'error',
] as const;

export type LiveAgentState = (typeof LIVE_AGENT_STATES)[number];
