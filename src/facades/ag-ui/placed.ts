import { messageIdOf } from '../base/branches.js';
import type { ClientMessage, PlacedMessage } from '../base/branches.js';
import { textOf } from './read-input.js';
import type { RunRequest, SentMessage } from './read-input.js';
import type { Interaction } from '../../protocol/wire/interaction.js';

/** Key of `metadata` under which an interaction has the ids of its message and its run. */
export const AG_UI_KEY = 'ag_ui';

const INTERACTION = /^(int_[A-Za-z0-9-]{1,60})\./;
/** Ends the id of a message of a user to which no client has given one. */
const USER = '.user';

/** Messages of an interaction have ids that begin with its id: `int_….1b0`. */
export function interactionOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : INTERACTION.exec(id)?.[1];
}

/** The id of the user's message, for clients that have not sent it. */
export function userMessageId(interaction: Pick<Interaction, 'id' | 'metadata'>): string {
  return messageIdOf(interaction, AG_UI_KEY) ?? `${interaction.id}${USER}`;
}

/**
 * The last message of the user with the conversation before it. A message without one may be any
 * of the chat, as clients send it again to have another answer.
 */
export function toPlaced({ threadId: chat_id, messages, context }: RunRequest): PlacedMessage {
  const { id } = messages.at(-1) ?? {};
  const history = messages.slice(0, -1).flatMap(toClientMessage);
  return {
    ...{ chat_id, key: AG_UI_KEY, message: { id }, isEdit: history.length === 0 },
    regenerated: id?.endsWith(USER) === true ? interactionOf(id) : undefined,
    history: [...context.map(toContext), ...history],
  };
}

/** Calls, thoughts and what children say are no part of a conversation that begins a chat. */
function toClientMessage(sent: SentMessage): readonly ClientMessage[] {
  const { id, role } = sent;
  const text = textOf(sent);
  const interaction_id = interactionOf(id);
  switch (role) {
    case 'system':
    case 'developer':
      return [{ id, role: 'system', text, interaction_id }];
    case 'user':
      return [{ id, role, text, interaction_id: undefined }];
    case 'assistant':
      return [{ id, role, text: sent.subagentRunId ? '' : text, interaction_id }];
    case 'tool':
    case 'reasoning':
      return [{ id, role: 'assistant', text: '', interaction_id }];
    case 'activity':
      return [];
  }
}

/** The page tells the agent of itself. */
function toContext({ description, value }: RunRequest['context'][number]): ClientMessage {
  const text = `${description}: ${value}`;
  return { id: undefined, role: 'system', text, interaction_id: undefined };
}
