import type { ClaimedWebhook } from '../persistence/rows/webhook-rows.js';

export interface WebhookClaim {
  /** The current time. */
  readonly at: string;
  /** When others may claim the entries, unless they were removed or postponed before. */
  readonly until: string;
  readonly limit: number;
}

export interface WebhookCounts {
  readonly waiting: number;
  /** Given up, and kept for a while. */
  readonly failed: number;
}

/**
 * Port: the outbox of webhooks. `RecordStore.append` adds its entries, in the commit that opens a
 * request or ends an interaction, if the batch has `announce`. The entries of a deleted chat go
 * with it. Times are ISO 8601 in UTC, milliseconds.
 */
export abstract class WebhookOutbox {
  /**
   * Claims entries that are due, in the order in which they became so. Counts an attempt of each.
   */
  abstract claim(claim: WebhookClaim): Promise<ClaimedWebhook[]>;
  /** It was delivered, or there is nothing to tell any more. */
  abstract remove(id: string): Promise<void>;
  /** The next attempt is due at `next`. Nothing happens if another process has claimed it. */
  abstract postpone(claimed: ClaimedWebhook, next: string): Promise<void>;
  /** No more attempts. False: nothing happened, as another process has claimed it. */
  abstract giveUp(claimed: ClaimedWebhook, at: string): Promise<boolean>;
  /**
   * Removes what was given up before a time, and then the oldest entries beyond `max`.
   * @returns the number of the latter
   */
  abstract trim(limits: { readonly failed_before: string; readonly max: number }): Promise<number>;
  abstract count(): Promise<WebhookCounts>;
}
