import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../../auth/principal.js';
import { ChatsService } from '../../../chats/chats.service.js';
import type { ThreadSearch } from './thread-bodies.js';
import { statusOf, viewThread } from './thread-view.js';
import type { ChatSummary } from '../../../protocol/wire/chat.js';

const PAGE = 200;
/** Chats that a search reads. */
const MAX_SEARCHED = 2_000;

/** Lists threads. */
@Injectable()
export class ThreadSearches {
  constructor(private readonly chats: ChatsService) {}

  /** The newest first, of the newest 2,000. */
  async search(caller: Principal, search: ThreadSearch): Promise<object[]> {
    const { limit, offset, sort_by } = search;
    const [from, most] = [offset ?? 0, limit ?? 10];
    const found: ChatSummary[] = [];
    let cursor: string | null | undefined;
    for (let read = 0; read < MAX_SEARCHED && found.length < from + most; read += PAGE) {
      const order = sort_by === 'created_at' ? 'created' : 'updated';
      const query = { limit: PAGE, order, ...(cursor && { cursor }) } as const;
      const page = await this.chats.list(caller, query);
      found.push(...page.items.filter((chat) => matches(chat, search)));
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    return found
      .slice(from, from + most)
      .map((chat) => viewThread(chat, { values: null, interrupts: [] }));
  }
}

function matches(chat: ChatSummary, { metadata, status, ids }: ThreadSearch): boolean {
  if (status && statusOf(chat.status) !== status) return false;
  if (ids && !ids.includes(chat.id)) return false;
  return Object.entries(metadata ?? {}).every(([key, value]) => {
    const own = key === 'graph_id' ? (chat.agent ?? chat.metadata[key]) : chat.metadata[key];
    return isDeepStrictEqual(own, value);
  });
}
