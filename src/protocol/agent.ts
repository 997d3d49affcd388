/**
 * What an agent is at. `idle`: its turn has not come. `modified`: a person changed its task, and it has not answered to that yet.
 * `deleted`: it was stopped before it was done, by a person or with what is above it.
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
