/** The states of an agent, with what each means to clients. */
const MEANINGS = {
  idle: 'waits in the queue of its chat',
  processing: 'waits for its model, or its code runs',
  thinking:
    'its model sends thoughts; only the stream of its chat tells it, else it is `processing`',
  waiting_permission: 'waits for an approval',
  awaiting_user: 'asked a person, or called a tool that the client runs',
  executing_tool: 'has a tool running',
  waiting_subagent: 'has a child that has not ended, and none of the above',
  completed: 'has returned',
  deleted: 'was stopped before its end: by a person, by its parent, or with the interaction',
  modified: 'got a new task, and has not answered it yet',
  error: 'has failed',
} as const;

export type AgentState = keyof typeof MEANINGS;

export const AGENT_STATES = Object.keys(MEANINGS) as [AgentState, ...AgentState[]];

/** Meanings of the states, a clause for each. */
export const AGENT_STATE_MEANINGS = `${AGENT_STATES.map((each) => `\`${each}\`: ${MEANINGS[each]}`).join('; ')}.`;
