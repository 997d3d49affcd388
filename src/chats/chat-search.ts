import { setImmediate as nextTick } from 'node:timers/promises';
import { normalizeText } from '../kernel/text/normalize-text.js';
import type { ChatListPage, ChatStore } from '../persistence/chat.store.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';

/** Chats of a viewer that are searched, the newest ones. */
export const MAX_SEARCHED = 2_000;
/** Rows that are read at once. */
const SLICE = 100;

export interface FoundChats {
  readonly rows: readonly ChatRow[];
  /** How many were searched up to each of them, by uid, since the beginning of the list. */
  readonly searched: ReadonlyMap<string, number>;
}

/**
 * The next `limit` chats of a list whose title or preview contains the text. They are compared
 * here, as stores may have them sealed.
 * @param searched chats of the list before the page
 */
export async function searchChats(
  chats: Pick<ChatStore, 'listChats'>,
  { limit, ...page }: ChatListPage,
  { q, searched: done }: { readonly q: string; readonly searched: number },
): Promise<FoundChats> {
  const wanted = foldCase(q);
  const rows: ChatRow[] = [];
  const searched = new Map<string, number>();
  let { before } = page;
  for (let count = done; count < MAX_SEARCHED;) {
    const size = Math.min(SLICE, MAX_SEARCHED - count);
    const slice = await chats.listChats({ ...page, limit: size, ...(before && { before }) });
    for (const row of slice) {
      count++;
      if (!hasText(row, wanted)) continue;
      rows.push(row);
      searched.set(row.uid, count);
      if (rows.length >= limit) return { rows, searched };
    }
    const last = slice.at(-1);
    if (!last || slice.length < size) break;
    before = { at: page.order === 'created' ? last.created_at : last.updated_at, id: last.id };
    await nextTick(); // other requests are answered between two slices
  }
  return { rows, searched };
}

function hasText({ title, preview }: ChatRow, wanted: string): boolean {
  return [title, preview].some((text) => text !== null && foldCase(text).includes(wanted));
}

/** Texts that differ only in case, or in how their characters are composed, become equal. */
export function foldCase(text: string): string {
  return normalizeText(normalizeText(text, 'NFKC').toUpperCase(), 'NFC');
}
