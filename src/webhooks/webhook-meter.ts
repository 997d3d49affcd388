/**
 * `delivered`; `retried`: an attempt failed, another follows; `failed`: it was given up; `dropped`:
 * there were too many entries.
 */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed' | 'dropped';

/** Port: counts what becomes of webhooks. */
export abstract class WebhookMeter {
  abstract ended(outcome: WebhookOutcome, count?: number): void;
  abstract waiting(count: number): void;
}
