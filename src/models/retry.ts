import type { ModelError } from './model-error.js';

const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;
const LONGEST_RETRY_AFTER_MS = 30_000;

/**
 * Backoff before the next attempt, in milliseconds; undefined if there must be no further attempt.
 * `attempt` is the number of the failed one, from 1. The delay doubles with each attempt, minus a
 * random jitter of up to half of it. A vendor's Retry-After takes precedence.
 */
export function retryDelay(
  error: ModelError,
  attempt: number,
  random = Math.random,
): number | undefined {
  if (!error.retryable || attempt >= MAX_ATTEMPTS) return undefined;
  const backoff = FIRST_DELAY_MS * 2 ** (attempt - 1);
  const jittered = backoff * (1 - random() / 2);
  if (error.retryAfterMs === undefined) return jittered;
  return Math.min(Math.max(error.retryAfterMs, jittered), LONGEST_RETRY_AFTER_MS);
}
