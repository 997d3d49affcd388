import { formatPageCursor, invalidCursor, parsePageCursor } from '../http/input/page-cursor.js';
import type { ChatListPage, ChatOrder } from '../persistence/chat.store.js';
import type { ChatSummary } from '../protocol/interaction.js';

/** Of the list by changes, so that no cursor continues in the other order. */
const MARK = 'updated ';

export function formatChatCursor(last: ChatSummary, order: ChatOrder): string {
  const { id, created_at, updated_at } = last;
  return order === 'created'
    ? formatPageCursor({ id, created_at })
    : encode(`${MARK}${updated_at} ${id}`);
}

/** @throws AppError `invalid_query` (400) */
export function parseChatCursor(
  cursor: string,
  order: ChatOrder,
): NonNullable<ChatListPage['before']> {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (text.startsWith(MARK) !== (order === 'updated')) throw invalidCursor();
  const end = order === 'updated' ? encode(text.slice(MARK.length)) : cursor;
  const { created_at: at, id } = parsePageCursor(end);
  return { at, id };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
