import type { Visibility } from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import type { AppError } from '../../kernel/app-error.js';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import type { Json } from '../../protocol/json.js';
import type { ChatSettings } from '../../protocol/wire/chat.js';

/** A saved chat. Times are ISO 8601 in UTC, milliseconds. */
export interface ChatRow {
  /**
   * Internal, never shown to clients: what belongs to the chat refers to it, so that a chat that is
   * deleted and created again inherits nothing. A UUID.
   */
  readonly uid: string;
  /** Unique in its tenant; never changes. */
  readonly id: string;
  readonly tenant_id: string;
  /** The id of the user who created it. */
  readonly owner: string;
  readonly visibility: Visibility;
  /** Unless it was given, the beginning of the first message. */
  readonly title: string | null;
  /** The beginning of the last message or answer; null before the first message. */
  readonly preview: string | null;
  readonly settings: ChatSettings;
  readonly head_interaction_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly metadata: Json;
  /** Why its settings or metadata can't be decrypted: they are empty here (`requireReadable`). */
  readonly unreadable?: AppError;
}

export interface NewChat extends Omit<
  ChatRow,
  'head_interaction_id' | 'updated_at' | 'preview' | 'unreadable'
> {
  /** The conversation that it starts from, which never changes; none unless given. */
  readonly messages?: readonly Message[];
  /** Saved with the chat, and deleted with it; undefined: its texts are not encrypted. */
  readonly data_key?: WrappedKey;
}

export interface ChatPatch {
  readonly title?: string | null;
  readonly preview?: string | null;
  readonly visibility?: Visibility;
  readonly settings?: ChatSettings;
  readonly metadata?: Json;
  readonly updated_at: string;
}
