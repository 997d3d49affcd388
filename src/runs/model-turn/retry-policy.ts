import type { AppError } from '../../kernel/app-error.js';
import { ModelError } from '../../models/model-error.js';
import type { ResolvedModel } from '../../models/model-registry.js';

const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;
/** A vendor that asks for a longer wait is not asked again. */
const LONGEST_WAIT_MS = 90_000;

/** The model to ask next for a turn, after failed attempts. */
export interface Try {
  readonly model: ResolvedModel;
  /** Number of failed attempts with this model. */
  readonly failed: number;
  readonly wait_ms: number;
}

/**
 * The next attempt after a failed one. If text was shown, it is with the same model after a backoff
 * while that may be retried; otherwise with the next model of the chain at once, or with the same
 * one if there is none. Undefined if a retry is useless. Removes the next model from `others`.
 */
export function nextTry(
  error: AppError,
  { last, hasShown, others }: { last: Try; hasShown: boolean; others: ResolvedModel[] },
): Try | undefined {
  if (!(error instanceof ModelError) || !error.retryable) return undefined;
  const failed = last.failed + 1;
  const wait_ms = retryDelay(error, failed);
  if (hasShown && wait_ms !== undefined) return { model: last.model, failed, wait_ms };
  const model = others.shift();
  if (model) return { model, failed: 0, wait_ms: 0 };
  return wait_ms === undefined ? undefined : { model: last.model, failed, wait_ms };
}

/** The notice for readers. */
export function describeNext(
  asked: string,
  { message }: AppError,
  { model, failed, wait_ms }: Try,
): { code: string; message: string } {
  if (failed === 0)
    return {
      code: 'model_fallback',
      message: `${asked} failed: ${message} ${model.name} is asked instead.`,
    };
  const seconds = (wait_ms / 1000).toFixed(1);
  return { code: 'model_retry', message: `${message} Trying again in ${seconds} s.` };
}

/**
 * Backoff before the next attempt, in milliseconds; undefined if there must be no further attempt.
 * `attempt` is the number of the failed one, from 1. The delay doubles with each attempt, minus a
 * random jitter of up to half of it. A vendor's longer wait takes precedence.
 */
export function retryDelay(
  error: ModelError,
  attempt: number,
  random = Math.random,
): number | undefined {
  const attempts = Math.min(MAX_ATTEMPTS, error.maxAttempts ?? MAX_ATTEMPTS);
  if (!error.retryable || attempt >= attempts) return undefined;
  const backoff = FIRST_DELAY_MS * 2 ** (attempt - 1);
  const jittered = backoff * (1 - random() / 2);
  if (error.retryAfterMs === undefined) return jittered;
  if (error.retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return Math.max(error.retryAfterMs, jittered);
}
