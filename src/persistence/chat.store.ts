import type { ChatPatch, ChatRow, NewChat } from './rows/store-rows.js';

/** Port: chats and their active branch. */
export abstract class ChatStore {
  /** Returns false, and changes nothing, if the id is taken. */
  abstract createChat(chat: NewChat): Promise<boolean>;
  abstract findChat(id: string): Promise<ChatRow | undefined>;
  /**
   * Names what belongs to the chat and is kept elsewhere: a chat that is deleted and created again
   * has another. Never shown to clients.
   */
  abstract findUid(id: string): Promise<string | undefined>;
  /** Newest first, by creation time, then id; `before` is the last row of the previous page. */
  abstract listChats(page: {
    limit: number;
    before?: { created_at: string; id: string };
  }): Promise<ChatRow[]>;
  abstract updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined>;
  /**
   * Deletes the chat with its contents, unless an interaction of it is active or queued. Nothing of
   * it can be found any more; its logs may take up space until `removeLeftovers`.
   */
  abstract deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'>;
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
    chatId: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'>;
}
