import { UNREADABLE, nameUnreadable } from '../encryption/unreadable.js';
import { ChatStore } from '../persistence/chat.store.js';
import type { ChatState } from '../persistence/rows/chat-state.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { Message } from '../protocol/message.js';
import type { ChatSummary } from '../protocol/wire/chat.js';

/** Without what clients never see. */
export function viewChat(
  { uid: _uid, tenant_id: _tenant, unreadable: _, ...chat }: ChatRow,
  state: ChatState | undefined,
): ChatSummary {
  const { active_interaction_id = null, status = null } = state ?? {};
  return { ...chat, agent: chat.settings.agent ?? null, active_interaction_id, status };
}

/** The messages that a chat was created with; one that says so if they can't be read. */
export async function readMessages(
  chats: ChatStore,
  { uid, id }: Pick<ChatRow, 'uid' | 'id'>,
): Promise<readonly Message[]> {
  try {
    return await chats.readMessages(uid);
  } catch (error) {
    nameUnreadable(id, error);
    return [{ role: 'user', content: UNREADABLE }];
  }
}
