import type { AuditEntry } from '../../audit/audit-entry.js';
import type { ChatTexts } from '../chat-texts.js';
import type { RecordOf } from '../../protocol/events.js';
import type { InteractionRow } from './interaction-row.js';
import type { Viewer } from '../viewer.js';
import type { LogRecord } from './log-record.js';
import type { NewChat } from './chat-rows.js';
import type { LeaseTerms } from './lease-rows.js';

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
  /** Title and preview for a sealed message; undefined: derived from the message. */
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

/** A change of a queued interaction: of its text, its place or both. */
export interface QueuedChange {
  /** Message and settings change together: the settings say what was redacted in the message. */
  readonly text?: Pick<InteractionRow, 'user_message' | 'settings'>;
  /** In front of this one; null: to the end of the queue; undefined: it stays in its place. */
  readonly before?: string | null;
}

export type QueuedOutcome =
  | { readonly outcome: 'changed'; readonly interaction: InteractionRow }
  /** It has begun, or ended, or is being cancelled, or is not there. */
  | { readonly outcome: 'not_queued' }
  /** `before` is not another queued interaction of the chat. */
  | { readonly outcome: 'unknown_place' };

/** Maximum number of queued interactions of one chat. */
export const MAX_QUEUED = 100;
