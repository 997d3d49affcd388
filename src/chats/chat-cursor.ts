import { formatPageCursor, invalidCursor, parsePageCursor } from '../kernel/page-cursor.js';
import type { ChatListPage, ChatOrder } from '../persistence/chat.store.js';
import type { ChatSummary } from '../protocol/wire/chat.js';

/** Marks cursors of the list by changes, so that no cursor continues in the other order. */
const MARK = 'updated ';
const SEARCH = 'search ';
const SEARCHED = /^search (\d{1,4}) ([\w-]{1,500})$/;

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

/** Cursor for a page of a search: also says how many chats were searched up to there. */
export function formatSearchCursor(last: ChatSummary, order: ChatOrder, searched: number): string {
  return encode(`${SEARCH}${searched} ${formatChatCursor(last, order)}`);
}

/** @throws AppError `invalid_query` (400) */
export function parseSearchCursor(
  cursor: string,
  order: ChatOrder,
): { readonly before: NonNullable<ChatListPage['before']>; readonly searched: number } {
  const [, searched, rest] = SEARCHED.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (searched === undefined || rest === undefined) throw invalidCursor();
  return { before: parseChatCursor(rest, order), searched: Number(searched) };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
