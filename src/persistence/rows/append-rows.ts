import type {
  FinalStatus,
  InteractionError,
  InteractionStatus,
  Usage,
} from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import type { StoreRefused } from '../store-refused.error.js';
import type { LogRecord } from './log-record.js';
import type { NewRequest } from './request-rows.js';

/** The usage of the turns that one model has had in an interaction. */
export interface ModelUsage extends Usage {
  /** `<provider>/<name>`, or `other`. */
  readonly model: string;
  /** Input and output of turns whose price was not known. */
  readonly unpriced_tokens: number;
}

/** An append to one interaction; it is written atomically. */
export interface AppendBatch {
  readonly interaction_id: string;
  readonly epoch: number;
  /** In order, without a gap, following the last record of the log. */
  readonly records: readonly LogRecord[];
  readonly status?: InteractionStatus;
  /** The new total. */
  readonly usage?: Usage;
  /** The new totals by model, in the order of their first turns; undefined: unchanged. */
  readonly usage_by_model?: readonly ModelUsage[];
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
