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
export function rootAgent(row: InteractionRow, conversation: Conversation): AgentRunOptions {
  const { id: interaction_id, agent_id: id, chat_id, chat_uid, agent: type, metadata } = row;
  const identity = { id, type, parent_id: null, chat_id, chat_uid, interaction_id, metadata };
  const { system_prompt: instructions } = row.settings;
  const settings = instructions === undefined ? {} : { instructions };
  return { identity, path: ROOT_PATH, conversation, settings };
}
