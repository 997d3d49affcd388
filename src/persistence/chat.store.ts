import type { ChatPatch, ChatRow, NewChat } from './rows/store-rows.js';

/** Port: chats and their active branch. */
export abstract class ChatStore {
  /** Returns false, and changes nothing, if the id is taken. */
  abstract createChat(chat: NewChat): Promise<boolean>;
  abstract findChat(id: string): Promise<ChatRow | undefined>;
  /** Newest first, by creation time, then id; `before` is the last row of the previous page. */
  abstract listChats(page: {
    limit: number;
    before?: { created_at: string; id: string };
  }): Promise<ChatRow[]>;
  abstract updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined>;
  /** Deletes the chat with its contents, unless an interaction of it is active or queued. */
  abstract deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'>;
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
