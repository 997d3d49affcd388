import { Injectable } from '@nestjs/common';
import { viewRequest } from '../approvals/request-view.js';
import { readMessages, viewChat } from '../chats/chat-view.js';
import { fitting, jsonBytes } from '../kernel/page-cursor.js';
import { ChatStore } from '../persistence/chat.store.js';
import { RequestStore } from '../persistence/request.store.js';
import type { ChatState } from '../persistence/rows/chat-state.js';
import type { RequestRow } from '../persistence/rows/request-rows.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { Viewer } from '../persistence/viewer.js';
import type { ChatEvent, FeedEvent } from '../protocol/live-events.js';
import type { Message } from '../protocol/message.js';
import { TaskStore } from '../tasks/task-store.js';
import { ChatChanges } from './chat-changes.js';

/** Chats in the state of the feed. */
const FEED_CHATS = 50;
const FEED_REQUESTS = { limit: 200, bytes: 512 * 1024 };
const CHAT_REQUESTS = { limit: 200, bytes: 256 * 1024 };
const CHAT_TASKS = { limit: 500, bytes: 256 * 1024 };
const MAX_MESSAGES_BYTES = 256 * 1024;

export interface StateOptions {
  /** True: with the messages that the chat was created with. */
  readonly withMessages: boolean;
}

/**
 * Reads the state frames of streams. They are small enough for one write: a reader with more than
 * 1 MiB to take is disconnected.
 */
@Injectable()
export class LiveStates {
  constructor(
    private readonly chats: ChatStore,
    private readonly requests: RequestStore,
    private readonly tasks: TaskStore,
    private readonly changes: ChatChanges,
  ) {}

  /** Undefined: the chat is deleted, or hidden from the viewer. */
  async ofChat(
    { uid, id }: Pick<ChatRow, 'uid' | 'id'>,
    viewer: Viewer,
    { withMessages }: StateOptions = { withMessages: false },
  ): Promise<ChatEvent | undefined> {
    await this.changes.know([uid]);
    const [row, states, pending, board, messages] = await Promise.all([
      this.chats.findChat(id, viewer),
      this.chats.readStates([uid]),
      this.listPending(viewer, CHAT_REQUESTS, uid),
      this.tasks.list(uid),
      withMessages ? readMessages(this.chats, { uid, id }) : [],
    ]);
    const state = states.get(uid);
    if (row?.uid !== uid || !state) return undefined;
    const { items: requests, cursor: requests_cursor } = fitting(pending, CHAT_REQUESTS);
    const { items: tasks, cursor: tasks_cursor } = fitting(board, CHAT_TASKS);
    const { head_interaction_id, active_interaction_id, queued } = state;
    return {
      ...{ type: 'CHAT_STATE', chat_id: id, chat: viewChat(row, state) },
      ...{ head_interaction_id, active_interaction_id, queued },
      ...{ requests: requests.map(viewRequest), requests_cursor },
      ...{ tasks, tasks_cursor },
      ...viewMessages(messages),
    };
  }

  async ofFeed(viewer: Viewer): Promise<FeedEvent> {
    const [rows, pending, live] = await Promise.all([
      this.chats.listChats({ viewer, order: 'updated', limit: FEED_CHATS }),
      this.listPending(viewer, FEED_REQUESTS),
      this.changes.listLive(viewer.tenant_id),
    ]);
    const listed = rows.map(({ uid }) => uid);
    const waiting = pending.map(({ chat_uid }) => chat_uid);
    const states = await this.changes.know([...new Set([...listed, ...waiting, ...live])]);
    const { items, cursor: requests_cursor } = fitting(pending, FEED_REQUESTS);
    return {
      type: 'FEED_STATE',
      user_id: viewer.user_id,
      chats: listed.flatMap((uid) => {
        const state = states.get(uid);
        return state ? [viewListed(state)] : [];
      }),
      requests: items.map(viewRequest),
      requests_cursor,
    };
  }

  /** Reads one more request than fits, so that the rest is noticed. */
  private listPending(
    viewer: Viewer,
    { limit, bytes }: { readonly limit: number; readonly bytes: number },
    chat_uid?: string,
  ): Promise<RequestRow[]> {
    const scope = chat_uid === undefined ? {} : { chat_uid };
    return this.requests.listRequests({
      ...{ viewer, status: 'pending', limit: limit + 1, bytes },
      ...{ ...scope, readable_only: true },
    });
  }
}

/** The first of them, as far as they fit. */
function viewMessages(all: readonly Message[]) {
  let bytes = 0;
  const messages = all.map((message) => ({ ...message }));
  const end = messages.findIndex((each) => (bytes += jsonBytes(each)) > MAX_MESSAGES_BYTES);
  if (end < 0) return messages.length > 0 && { messages };
  return { messages: messages.slice(0, end), messages_cut: true as const };
}

export function viewListed({ id, title, status, updated_at, active_interaction_id }: ChatState) {
  return { id, title, status, updated_at, active_interaction_id };
}
