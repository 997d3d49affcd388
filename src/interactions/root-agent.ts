import type { AgentRunOptions } from '../agents/runtime/agent-run.js';
import type { Conversation } from '../agents/runtime/conversation.js';
import type { InteractionRow } from '../log/store-rows.js';

const ROOT_PATH = 'main';

/** The agent that answers an interaction's message. */
export function rootAgent(
  { id: interaction_id, agent_id: id, chat_id, agent: type, metadata }: InteractionRow,
  conversation: Conversation,
): AgentRunOptions {
  const identity = { id, type, parent_id: null, chat_id, interaction_id, metadata };
  return { identity, path: ROOT_PATH, conversation, settings: {} };
}
