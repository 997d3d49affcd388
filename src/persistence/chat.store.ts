import type { Viewer } from './viewer.js';
import type { ChatState } from './rows/chat-state.js';
import type { Message } from '../protocol/message.js';
import type { ChatPatch, ChatRow, NewChat } from './rows/chat-rows.js';

export const CHAT_ORDERS = ['updated', 'created'] as const;

/** By the last change, or by the creation, then by id. */
export type ChatOrder = (typeof CHAT_ORDERS)[number];

export interface ChatListPage {
  readonly viewer: Viewer;
  readonly order: ChatOrder;
  readonly limit: number;
  /** The last row of the previous page: its time in this order. */
  readonly before?: { readonly at: string; readonly id: string };
}

/** A slice of all chats, in the order of their uids. */
export interface SliceOfChats {
  /** A chat is untouched if nothing of it was changed, and no interaction ended, since then. */
  readonly before: string;
  readonly limit: number;
  /** `next` of the previous slice. */
  readonly after?: string;
}

export interface UntouchedChats {
  /** Chats of the slice that are untouched and have no active or queued interaction. */
  readonly uids: readonly string[];
  /** Undefined after the last slice. */
  readonly next: string | undefined;
}

/** Maximum number of chats of one call of `readStates` and `listLive`. */
export const MAX_STATES = 500;

/** Port: chats and their active branch. */
export abstract class ChatStore {
  /** Returns false, and changes nothing, if the id is taken in the tenant. */
  abstract createChat(chat: NewChat): Promise<boolean>;
  /** The chat with this id in the tenant of the viewer, if the viewer sees it. */
  abstract findChat(id: string, viewer: Viewer): Promise<ChatRow | undefined>;
  abstract findChatByUid(uid: string): Promise<ChatRow | undefined>;
  /**
   * Chats that the viewer sees, newest first. A chat that changes meanwhile is at the beginning of
   * the list by changes, so that later pages may lack it.
   */
  abstract listChats(page: ChatListPage): Promise<ChatRow[]>;
  /** The states of those chats that exist, by uid, in a single query; at most `MAX_STATES`. */
  abstract readStates(uids: readonly string[]): Promise<Map<string, ChatState>>;
  /**
   * The uids of chats of these tenants that were created since then, or have an active or queued
   * interaction; at most `MAX_STATES`, those of the second kind first.
   */
  abstract listLive(tenantIds: readonly string[], since: string): Promise<string[]>;
  /** The conversation that the chat starts from. */
  abstract readMessages(uid: string): Promise<readonly Message[]>;
  abstract updateChat(uid: string, patch: ChatPatch): Promise<ChatRow | undefined>;
  /**
   * Deletes the chat with its contents, unless an interaction of it is active or queued. Nothing of
   * it can be found any more; its logs may take up space until `removeLeftovers`.
   * @param before also `busy` if the chat was touched since then
   */
  abstract deleteChat(uid: string, before?: string): Promise<'deleted' | 'unknown' | 'busy'>;
  /** Lists the chats of all tenants. */
  abstract listUntouched(slice: SliceOfChats): Promise<UntouchedChats>;
  /**
   * Removes what deleted chats and imports that were not completed left, in slices, so that nothing
   * else waits for it. Stops after a slice when the signal aborts.
   */
  abstract removeLeftovers(signal: AbortSignal): Promise<void>;
  /**
   * Makes an interaction the head of the chat: its branch becomes the active one, all others are
   * superseded as of `at`. `unknown` also for an interaction that has never begun; `busy` while one
   * is active or queued.
   */
  abstract switchHead(
    chatUid: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'>;
}
