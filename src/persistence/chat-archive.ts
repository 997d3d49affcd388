import type { Message } from '../protocol/message.js';
import type { LogRecord } from './rows/log-record.js';
import type { RequestRow } from './rows/request-rows.js';
import type { ChatRow, InteractionRow } from './rows/store-rows.js';

/** An interaction as it is carried from one store to another. */
export interface ArchivedInteraction extends InteractionRow {
  /** False for what waits in the queue, and for what ended there: it can't be its chat's head. */
  readonly begun: boolean;
}

/** What an interaction has besides its row and its records, once it ended. */
export interface ArchivedEnd {
  /** None is pending; one that is closed was closed when the interaction ended. */
  readonly requests: readonly RequestRow[];
  readonly added_messages: readonly Message[];
}

/** Port: whole chats, to be read out and to be brought in. */
export abstract class ChatArchive {
  /** Interactions of a chat, on all branches and in the queue, in order of id; `after` is the last of the page before. */
  abstract listInteractions(
    chatId: string,
    page: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]>;

  /** The greatest id of them; undefined if there is none. */
  abstract findLastInteractionId(chatId: string): Promise<string | undefined>;

  /** Begins to bring in a chat. Ends with `commit` or `discard`; what a process that died leaves undone goes by itself. */
  abstract receive(): Promise<IncomingChat>;
}

/**
 * A chat that is being brought in, one interaction after the other. Nobody sees anything of it before `commit`, which shows all of it at
 * once. All have ended, and all ids are new, but for the chat's.
 */
export interface IncomingChat {
  /** Records that follow those before; an interaction's first call has at least its record 1. */
  append(interaction: ArchivedInteraction, records: readonly LogRecord[]): Promise<void>;
  /** After the last of its records. */
  end(interaction: ArchivedInteraction, rest: ArchivedEnd): Promise<void>;
  /** The branch that ends with the chat's head becomes the active one. False, and nothing is kept, when the chat's id is taken. */
  commit(chat: ChatRow): Promise<boolean>;
  discard(): Promise<void>;
}
