import type { ChatRow } from './rows/chat-rows.js';

/**
 * A chat whose settings and metadata are needed as they were given.
 * @throws AppError `decryption_failed`, as `ChatRow.unreadable`
 */
export function requireReadable<C extends Pick<ChatRow, 'unreadable'>>(chat: C): C {
  if (chat.unreadable) throw chat.unreadable;
  return chat;
}
