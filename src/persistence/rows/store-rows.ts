import type {
  FinalStatus,
  InteractionError,
  InteractionStatus,
  Usage,
} from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import type { Json } from '../../protocol/json.js';
import type { InteractionRow } from './interaction-row.js';
import type { LogRecord } from './log-record.js';
import type { NewRequest } from './request-rows.js';

/** A saved chat. Times are ISO 8601 in UTC, milliseconds. */
export interface ChatRow {
  readonly id: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly head_interaction_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly metadata: Json;
}

export type NewChat = Pick<ChatRow, 'id' | 'title' | 'agent' | 'created_at' | 'metadata'>;

export interface ChatPatch {
  readonly title?: string | null;
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

/** Everything a start writes in one transaction. */
export interface StartInteraction {
  /** Created if no chat has this id yet. */
  readonly chat: NewChat;
  readonly interaction: NewInteraction;
  /** When another interaction of the chat is active: refuse, queue behind all others, or queue in front and mark the active one for cancelling. */
  readonly on_conflict: 'reject' | 'enqueue' | 'interrupt';
  /** The interaction that this one replaces: it starts from the state before it. Never with `enqueue`. */
  readonly edited_from?: string;
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
  /** Given when the caller runs the interaction itself, at once: it starts leased, with epoch 1. */
  readonly lease?: LeaseTerms;
}

export type StartOutcome =
  | { readonly outcome: 'started'; readonly interaction: InteractionRow; readonly first: LogRecord }
  /** The idempotency key and fingerprint were seen before. */
  | { readonly outcome: 'repeated'; readonly interaction: InteractionRow }
  /** The idempotency key was seen before with another fingerprint. */
  | { readonly outcome: 'key_reused' }
  | { readonly outcome: 'busy'; readonly active_interaction_id: string }
  /** QUEUED: no record yet, no parent unless it is an edit. `interrupted` was marked for cancelling. */
  | {
      readonly outcome: 'queued';
      readonly interaction: InteractionRow;
      readonly interrupted: string | null;
    }
  /** As many wait in this chat as may: `MAX_QUEUED`. */
  | { readonly outcome: 'queue_full' }
  /** `edited_from` is not an interaction of this chat. */
  | { readonly outcome: 'unknown_edit' }
  /** `edited_from` waits for its turn: there is no state before it yet. */
  | { readonly outcome: 'edits_queued' };

/** How many interactions may wait in one chat. */
export const MAX_QUEUED = 100;

export interface LeaseTerms {
  readonly owner: string;
  readonly ttl_ms: number;
  /** This owner may hold it already, from a try of which it never got to know: then nothing was lost. */
  readonly never_begun?: boolean;
}

/** A lease that was taken: the row as it is now, its `epoch` already counted up. */
export interface Lease {
  readonly interaction: InteractionRow;
  /** The owner that lost it, if the previous run neither ended nor let go; null otherwise. */
  readonly lost_owner: string | null;
  /** The previous run was parked: it left nothing unfinished. */
  readonly parked: boolean;
  /** How many runs in a row were lost, the previous one included, that had written nothing but their `resumed`. */
  readonly losses: number;
}

/** An interaction that should run and that nobody holds. */
export interface Unowned {
  readonly id: string;
  /** Its last run neither ended nor let go. */
  readonly is_lost: boolean;
  /** What its `Lease` will say. */
  readonly losses: number;
}

export interface LeaseState {
  readonly interaction_id: string;
  readonly signals: number;
  readonly cancel_reason: string | null;
}

/** What one append of one interaction writes, all of it or nothing. */
export interface AppendBatch {
  readonly interaction_id: string;
  readonly epoch: number;
  /** In order, without a gap, following what is in the log. */
  readonly records: readonly LogRecord[];
  readonly status?: InteractionStatus;
  /** The new total. */
  readonly usage?: Usage;
  /** With the records that tell of them. A request whose key is there already stays as it is. */
  readonly requests?: readonly NewRequest[];
  /**
   * Given with `INTERACTION_COMPLETE`: ends the interaction, releases its lease and its chat, closes its pending requests, and promotes the
   * chat's next queued one. One that ends in the queue is superseded from then on.
   */
  readonly end?: InteractionEnd;
}

export interface InteractionEnd {
  readonly status: FinalStatus;
  readonly error: InteractionError | null;
  readonly completed_at: string;
  /** What this interaction adds to the conversation, its user message first. */
  readonly added_messages: readonly Message[];
}

/**
 * `written`: durable (also if an earlier try of the same epoch had written it already).
 * `fenced`: another run has taken over, or the interaction is gone; nothing was written.
 */
export type AppendOutcome = 'written' | 'fenced';
