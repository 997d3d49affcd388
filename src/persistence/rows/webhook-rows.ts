export type WebhookType = 'request_opened' | 'interaction_complete';

/**
 * An entry of the outbox: something to tell the receiver. It has ids and times only; what the
 * receiver is sent is read when it is sent.
 */
export interface NewWebhook {
  /**
   * The id of the request, or `<interaction_id>.<seq>` with the last seq of the ended interaction.
   * The same for each attempt.
   */
  readonly id: string;
  readonly type: WebhookType;
  readonly interaction_id: string;
  /** When the request was opened, or the interaction ended. */
  readonly created_at: string;
}

/** A claimed entry. */
export interface ClaimedWebhook extends NewWebhook {
  /** Attempts to deliver it, the current one included. */
  readonly attempts: number;
}

/** The entry of an interaction that ended with the record `seq`. */
export function completionId(interactionId: string, seq: number): string {
  return `${interactionId}.${seq}`;
}

/** The seq of that record. */
export function completionSeq(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}
