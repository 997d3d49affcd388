import type { ChatOrder } from '../persistence/chat.store.js';
import type { Visibility } from '../protocol/interaction.js';
import type { Message } from '../protocol/message.js';
import type { ChatSettings } from '../protocol/wire/chat.js';

/** A chat to create. */
export interface CreateChat {
  /** 1 to 64 letters, digits, `_` or `-`; made unless given. */
  readonly id?: string;
  readonly title?: string;
  /** Short for `settings.agent`. */
  readonly agent?: string;
  /** `private` unless given. */
  readonly visibility?: Visibility;
  readonly settings?: ChangedSettings;
  /** The conversation that it starts from. */
  readonly messages?: readonly Message[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Changes of a chat; fields that are left out stay. */
export interface UpdateChat {
  readonly title?: string | null;
  /** The end of the branch to switch to. */
  readonly head_interaction_id?: string;
  readonly visibility?: Visibility;
  readonly settings?: ChangedSettings;
  /** Replaces the previous metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Settings as they are given; null removes one. */
export type ChangedSettings = {
  readonly [Field in keyof ChatSettings]?: ChatSettings[Field] | null;
};

/** A page of the interactions of a chat, the newest first. */
export interface ReadChat {
  /** 50 unless given. */
  readonly limit?: number;
  /** Also interactions off the active branch. */
  readonly include?: 'superseded';
  /** No final state is cut to fit more interactions on the page. */
  readonly state?: 'all';
  /** The `next_before` of the previous page. */
  readonly before?: string;
}

/** A page of the chats that a caller sees. */
export interface ListChats {
  /** 50 unless given. */
  readonly limit?: number;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string;
  /** `updated` unless given. */
  readonly order?: ChatOrder;
  /** Only chats whose title or preview contains it. */
  readonly q?: string;
}
