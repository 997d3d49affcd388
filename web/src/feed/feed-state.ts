import type { FeedEvent } from 'parley/client';

type EventOf<T extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: T }>;
type ListedChat = EventOf<'FEED_STATE'>['chats'][number];

/** A chat of the list. */
export interface ChatRow {
  readonly id: string;
  readonly title: string | null;
  readonly status: ListedChat['status'];
  readonly updated_at: string;
}

/** An approval, a question or a call for a client. */
export type InboxRequest = EventOf<'FEED_STATE'>['requests'][number];

/** All that the feed has told. */
export interface Feed {
  /** False until the server has told anything. */
  readonly isKnown: boolean;
  /** Id of the person who is signed in; null: not known yet. */
  readonly user_id: string | null;
  /** The newest first. */
  readonly chats: readonly ChatRow[];
  /** Pending ones, the oldest first. */
  readonly requests: readonly InboxRequest[];
  /** For the page of pending ones after these; null: they are all. */
  readonly requestsCursor: string | null;
  /** Requests that were settled while the page was open, by id. */
  readonly settled: Readonly<Record<string, InboxRequest>>;
}

export const EMPTY_FEED: Feed = {
  ...{ isKnown: false, user_id: null },
  ...{ chats: [], requests: [], requestsCursor: null, settled: {} },
};
/** So many settled requests are kept. */
const MOST_SETTLED = 200;

export function foldFeed(feed: Feed, event: FeedEvent): Feed {
  switch (event.type) {
    case 'FEED_STATE': {
      const told = new Set(event.chats.map(({ id }) => id));
      // The feed lists the newest 50: chats of further pages stay.
      const others = feed.chats.filter((chat) => !told.has(chat.id) && isOlder(chat, event.chats));
      return {
        ...feed,
        isKnown: true,
        user_id: event.user_id,
        chats: inOrder([...event.chats, ...others]),
        requests: event.requests,
        requestsCursor: event.requests_cursor,
      };
    }
    case 'CHAT_UPDATED':
      return takeChat(feed, event);
    case 'REQUEST_OPENED':
      return { ...feed, requests: [...without(feed.requests, event.request.id), event.request] };
    case 'REQUEST_SETTLED': {
      const { request } = event;
      return {
        ...feed,
        requests: without(feed.requests, request.id),
        settled: withSettled(feed.settled, request),
      };
    }
    default:
      return feed;
  }
}

/** Adds a page of pending requests that the feed has not told. */
export function withRequests(
  feed: Feed,
  { items, next_cursor }: { items: readonly InboxRequest[]; next_cursor: string | null },
): Feed {
  const known = new Set([...feed.requests.map(({ id }) => id), ...Object.keys(feed.settled)]);
  const requests = [...feed.requests, ...items.filter(({ id }) => !known.has(id))];
  return { ...feed, requests, requestsCursor: next_cursor };
}

/** Adds a page of the list that the feed has not told. */
export function withPage(feed: Feed, page: readonly ChatRow[]): Feed {
  const known = new Set(feed.chats.map(({ id }) => id));
  return { ...feed, chats: inOrder([...feed.chats, ...page.filter(({ id }) => !known.has(id))]) };
}

function takeChat(feed: Feed, { chat, chat_id }: EventOf<'CHAT_UPDATED'>): Feed {
  const others = feed.chats.filter(({ id }) => id !== chat_id);
  if (chat) return { ...feed, chats: inOrder([chat, ...others]) };
  const requests = feed.requests.filter((request) => request.chat_id !== chat_id);
  return { ...feed, chats: others, requests };
}

function withSettled(settled: Feed['settled'], request: InboxRequest): Feed['settled'] {
  const kept = Object.entries(settled).slice(-MOST_SETTLED + 1);
  return { ...Object.fromEntries(kept), [request.id]: request };
}

function isOlder(chat: ChatRow, listed: readonly ListedChat[]): boolean {
  const oldest = listed.at(-1);
  return listed.length >= 50 && oldest !== undefined && chat.updated_at < oldest.updated_at;
}

function inOrder(chats: readonly ChatRow[]): readonly ChatRow[] {
  return [...chats].sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
}

function without(requests: readonly InboxRequest[], id: string): readonly InboxRequest[] {
  return requests.filter((request) => request.id !== id);
}
