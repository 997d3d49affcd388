import type {
  FinalStatus,
  InteractionError,
  InteractionStatus,
  Usage,
  Visibility,
} from '../../protocol/interaction.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { Message } from '../../protocol/message.js';
import type { AppError } from '../../kernel/app-error.js';
import type { ChatTexts } from '../chat-texts.js';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import type { RecordOf } from '../../protocol/events.js';
import type { Json } from '../../protocol/json.js';
import type { InteractionRow } from './interaction-row.js';
import type { Viewer } from '../viewer.js';
import type { StoreRefused } from '../store-refused.error.js';
import type { LogRecord } from './log-record.js';
import type { NewRequest } from './request-rows.js';

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

export type NewInteraction = Pick<
  InteractionRow,
  | 'id'
  | 'chat_id'
  | 'user_message'
  | 'agent'
  | 'agent_id'
  | 'model'
  | 'settings'
  | 'created_at'
  | 'metadata'
>;

/** A file of the viewer that is in no chat yet. */
export interface AdoptedFile {
  readonly id: string;
  /** Sealed for the chat, if its texts are. */
  readonly filename: string;
}

/** The data that a start writes in one transaction. */
export interface StartInteraction {
  /** Created if its tenant has no chat with this id. Its owner is the viewer. */
  readonly chat: NewChat;
  /** The user who starts it. */
  readonly viewer: Viewer;
  readonly interaction: NewInteraction;
  /**
   * The policy if another interaction of the chat is active: reject, queue behind all others, or
   * queue in front and mark the active one for cancelling.
   */
  readonly on_conflict: 'reject' | 'enqueue' | 'interrupt';
  /**
   * The interaction that this one replaces: it starts from the state before that one. Never
   * combined with `enqueue`.
   */
  readonly edited_from?: string;
  /** The texts are sealed with the key of the chat with this uid: it must be this chat. */
  readonly sealed_for?: string;
  /** Of a sealed message; undefined: derived from the message. */
  readonly chat_texts?: ChatTexts;
  readonly idempotency?: IdempotencyKey;
  /** Set if the caller runs the interaction itself, at once: it starts leased, with epoch 1. */
  readonly lease?: LeaseTerms;
  /** Join the chat, unless they were deleted or have joined another meanwhile. */
  readonly adopts?: readonly AdoptedFile[];
  /** Undefined: none, at no cost. */
  readonly quota?: StartQuota;
  /** Added to the audit trail if the start creates its chat. */
  readonly audit?: AuditEntry;
}

/**
 * Quotas of a tenant, checked in the transaction of a start or retry, after everything else. Starts
 * of a tenant that are checked run one after the other, in all processes, so that the counts are
 * exact.
 */
export interface StartQuota {
  /** Unfinished interactions, queued ones included and parked ones not. */
  readonly runs?: number;
  /** Starts and retries after `since`, those of deleted chats included. */
  readonly starts?: { readonly limit: number; readonly since: string };
}

/** Nothing was written. */
export interface QuotaExceeded {
  readonly outcome: 'quota_exceeded';
  readonly quota: 'QUOTA_RUNS' | 'QUOTA_STARTS_PER_MINUTE';
  /** The time of the start that has to leave the window; null for `QUOTA_RUNS`. */
  readonly oldest: string | null;
}

/** A key, and the fingerprint of the body that it stands for. */
export interface IdempotencyKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** The outcome of a key that was used in the chat before. */
export type UsedKey =
  /** With the same fingerprint. */
  | { readonly outcome: 'repeated'; readonly interaction: InteractionRow }
  /** With another fingerprint. */
  | { readonly outcome: 'key_reused' };

export interface Started {
  readonly outcome: 'started';
  readonly interaction: InteractionRow;
  readonly first: LogRecord;
  /** This start created the chat. */
  readonly is_new_chat: boolean;
}

export type StartOutcome =
  | Started
  | UsedKey
  /** The viewer does not see the chat. */
  | { readonly outcome: 'hidden' }
  | { readonly outcome: 'busy'; readonly active_interaction_id: string }
  /**
   * QUEUED: no record yet, and no parent unless it is an edit. `interrupted` is the interaction
   * marked for cancelling.
   */
  | {
      readonly outcome: 'queued';
      readonly interaction: InteractionRow;
      readonly interrupted: string | null;
    }
  /** The queue of the chat is full: `MAX_QUEUED`. */
  | { readonly outcome: 'queue_full' }
  /** `edited_from` is not an interaction of this chat. */
  | { readonly outcome: 'unknown_edit' }
  /** `edited_from` is queued, so it has no prior state yet. */
  | { readonly outcome: 'edits_queued' }
  /** The chat is not that of `sealed_for`; null: there is none. Nothing was written. */
  | { readonly outcome: 'other_chat'; readonly chat_uid: string | null }
  | QuotaExceeded;

/** Takes up again an interaction that was given up. */
export interface RetryInteraction {
  readonly interaction_id: string;
  readonly tenant_id: string;
  /** The codes of errors that may be retried. */
  readonly codes: readonly string[];
  /** The record that says so; written in the same transaction. */
  readonly resumed: RecordOf<'RESUMED'>;
  readonly at: string;
  readonly quota?: StartQuota;
}

export type RetryOutcome =
  | { readonly outcome: 'retried'; readonly interaction: InteractionRow }
  | { readonly outcome: 'busy'; readonly active_interaction_id: string }
  /** It has not failed, or with another code. */
  | { readonly outcome: 'not_given_up' }
  /** It is superseded, or another interaction was built on it. */
  | { readonly outcome: 'not_head' }
  | QuotaExceeded;

/** Maximum number of queued interactions of one chat. */
export const MAX_QUEUED = 100;

export interface LeaseTerms {
  readonly owner: string;
  readonly ttl_ms: number;
  /**
   * The owner may already hold the lease, from an attempt whose result it never received. In that
   * case no run was lost.
   */
  readonly never_begun?: boolean;
  /** Number of suspects that the process runs together, this one included; 0: it is no suspect. */
  readonly trial?: number;
}

/** An acquired lease: the current row, with `epoch` already incremented. */
export interface Lease {
  readonly interaction: InteractionRow;
  /**
   * The owner that lost the lease, if the previous run neither ended nor released it; null
   * otherwise.
   */
  readonly lost_owner: string | null;
  /** The previous run was parked, so it left no unfinished work. */
  readonly parked: boolean;
  /** Number of consecutive lost runs without progress, the previous one included. */
  readonly losses: number;
  /** Number of them with `trial` 1; those with a larger one neither count nor reset it. */
  readonly alone_losses: number;
  /** The texts of the interaction can't be read, and are not here: it has to be given up. */
  readonly fault?: AppError;
}

/** An interaction that should run and has no owner. */
export interface Unowned {
  readonly id: string;
  /** Its last run neither ended nor released the lease. */
  readonly is_lost: boolean;
  /** The values in its next `Lease`. */
  readonly losses: number;
  readonly alone_losses: number;
  /**
   * Of its last run. 0: that was not started as a suspect, or has left the group, or progressed.
   */
  readonly trial: number;
}

export interface LeaseState {
  readonly interaction_id: string;
  readonly last_seq: number;
  readonly signals: number;
  readonly cancel_reason: string | null;
  readonly cancelled_by: string | null;
}

/** One append to one interaction; it is written atomically. */
export interface AppendBatch {
  readonly interaction_id: string;
  readonly epoch: number;
  /** In order, without a gap, following the last record of the log. */
  readonly records: readonly LogRecord[];
  readonly status?: InteractionStatus;
  /** The new total. */
  readonly usage?: Usage;
  /**
   * Written with the records that announce them. A request whose key exists already stays
   * unchanged.
   */
  readonly requests?: readonly NewRequest[];
  /**
   * Set with the last `INTERACTION_COMPLETE`: ends the interaction, releases its lease and its
   * chat, which has changed if this was its head, closes its pending requests, and promotes the
   * chat's next queued interaction. An interaction that ends in the queue is superseded from then
   * on.
   */
  readonly end?: InteractionEnd;
  /**
   * True: the outbox of webhooks gets an entry in the same commit for each request that is new, and
   * for the end.
   */
  readonly announce?: boolean;
}

export interface InteractionEnd {
  readonly status: FinalStatus;
  readonly error: InteractionError | null;
  readonly completed_at: string;
  /** The messages that this interaction adds to the conversation, its user message first. */
  readonly added_messages: readonly Message[];
}

/**
 * `written`: durable (also if an earlier attempt of the same epoch had already written it).
 * `fenced`: another run has taken over, or the interaction is gone; nothing was written. An error:
 * the store will never take this append.
 */
export type AppendOutcome = 'written' | 'fenced' | StoreRefused;
