import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { viewerOf } from '../access/viewer-of.js';
import type { Principal } from '../auth/principal.js';
import { MAX_PAGE_BYTES, parsePageCursor, toPage } from '../kernel/page-cursor.js';
import { RequestStore } from '../persistence/request.store.js';
import { viewRequest } from './request-view.js';
import type { RequestList, RequestStatus } from '../protocol/wire/request.js';

export interface InboxQuery {
  readonly status: RequestStatus | 'all';
  readonly chat_id?: string;
  readonly interaction_id?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** All requests that wait for a person or a client, over all chats that the caller sees. */
@Injectable()
export class InboxService {
  constructor(
    private readonly requests: RequestStore,
    private readonly access: ChatAccess,
  ) {}

  /** Oldest first. @throws AppError `invalid_query` (400) of a cursor */
  async list(
    caller: Principal,
    { limit, cursor, status, chat_id, interaction_id }: InboxQuery,
  ): Promise<RequestList> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const chat = chat_id === undefined ? undefined : await this.access.findChat(caller, chat_id);
    if (chat_id !== undefined && !chat) return { items: [], next_cursor: null };
    const rows = await this.requests.listRequests({
      viewer: viewerOf(caller),
      ...(chat && { chat_uid: chat.uid }),
      ...(interaction_id !== undefined && { interaction_id }),
      ...(status !== 'all' && { status }),
      limit: limit + 1,
      bytes: MAX_PAGE_BYTES,
      readable_only: true,
      ...(after && { after }),
    });
    const { items, next_cursor } = toPage(rows, limit);
    return { items: items.map(viewRequest), next_cursor };
  }
}
