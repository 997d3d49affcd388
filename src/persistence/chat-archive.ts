import type { Message } from '../protocol/message.js';
import type { WrappedKey } from '../encryption/data-key-store.js';
import type { LogRecord } from './rows/log-record.js';
import type { RequestRow } from './rows/request-rows.js';
import type { InteractionRow } from './rows/interaction-row.js';
import type { ChatRow } from './rows/chat-rows.js';
import type { FileInfo } from '../protocol/wire/file.js';

/** An interaction during export and import. */
export interface ArchivedInteraction extends InteractionRow {
  /**
   * False for an interaction that is queued or that ended in the queue: neither can be the head.
   */
  readonly begun: boolean;
}

/** A file of the chat, whose bytes are stored. */
export interface ArchivedFile extends FileInfo {
  readonly tenant_id: string;
  readonly chat_uid: string;
}

/** A chat with the conversation that it starts from, and its files. */
export interface ArchivedChat extends ChatRow {
  /** None unless given. */
  readonly messages?: readonly Message[];
  /** None unless given. */
  readonly files?: readonly ArchivedFile[];
}

/** The data of an ended interaction besides its row and its records. */
export interface ArchivedEnd {
  /** None is pending; closed requests were closed when the interaction ended. */
  readonly requests: readonly RequestRow[];
  readonly added_messages: readonly Message[];
}

export type ReceivedChat = Pick<ChatRow, 'uid' | 'tenant_id'>;

/** Port: export and import of whole chats. */
export abstract class ChatArchive {
  /**
   * Interactions of a chat, on all branches and in the queue, by id; `after` is the last of the
   * previous page.
   */
  abstract listInteractions(
    chatUid: string,
    page: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]>;

  /** The greatest interaction id of the chat; undefined if there is none. */
  abstract findLastInteractionId(chatUid: string): Promise<string | undefined>;

  /** Begins an import, which ends with `commit` or `discard`. After a crash the store cleans up. */
  abstract receive(chat: ReceivedChat): Promise<IncomingChat>;
}

/**
 * A chat during its import, one interaction after the other. Invisible before `commit`, which makes
 * all of it visible at once. All interactions have ended, and all ids are new, except that of the
 * chat.
 */
export interface IncomingChat {
  /** Appends records in order; the first call for an interaction includes at least its record 1. */
  append(interaction: ArchivedInteraction, records: readonly LogRecord[]): Promise<void>;
  /** Called after the last record of the interaction. */
  end(interaction: ArchivedInteraction, rest: ArchivedEnd): Promise<void>;
  /**
   * Makes the branch of the head the active one. Returns false, and saves nothing, if the id of the
   * chat is taken in its tenant.
   * @param key as `NewChat.data_key`
   */
  commit(chat: ArchivedChat, key?: WrappedKey): Promise<boolean>;
  discard(): Promise<void>;
}
