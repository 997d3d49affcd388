import type { AgentIdentity, AgentSettings } from '../../agents/agent-context.js';
import type { Conversation } from '../../conversation/conversation.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';

export interface AgentRunOptions {
  readonly identity: AgentIdentity;
  /** The first part of its step keys. */
  readonly path: string;
  readonly conversation: Conversation;
  readonly settings: AgentSettings;
}

const ROOT_PATH = 'main';

/** The agent that answers an interaction's message. */
export function rootAgent(
  { id: interaction_id, agent_id: id, chat_id, agent: type, metadata }: InteractionRow,
  conversation: Conversation,
): AgentRunOptions {
  const identity = { id, type, parent_id: null, chat_id, interaction_id, metadata };
  return { identity, path: ROOT_PATH, conversation, settings: {} };
}
