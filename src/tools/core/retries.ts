import { ZodError } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import type { ErrorKind } from '../../kernel/app-error.js';
import type { Tool, ToolRetries } from './tool.js';

const MAX_TIMES = 5;
const MAX_BACKOFF_MS = 30_000;

/** Kinds of transient errors. The other kinds are faults of the call. */
const TRANSIENT_KINDS: readonly ErrorKind[] = ['unavailable', 'rate_limited', 'internal'];

export interface RetryOptions {
  readonly retries: ToolRetries | undefined;
  /** Aborts the backoff too. */
  readonly signal: AbortSignal;
  /** Called before the backoff; `attempt`: the number of failed attempts. */
  readonly onRetry: (error: unknown, attempt: number) => Promise<void>;
}

/** Does the work, with retries on transient errors. Rejects with the error of the last attempt. */
export async function withRetries<T>(
  work: () => Promise<T> | T,
  { retries = { times: 0, backoff_ms: 0 }, signal, onRetry }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt > retries.times || signal.aborted || !mayPass(error)) throw error;
      await onRetry(error, attempt);
      await pause(Math.min(retries.backoff_ms * 2 ** (attempt - 1), MAX_BACKOFF_MS), signal);
    }
  }
}

/** Rejects when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

/** @throws Error if the tool must not be retried, or its retries are out of range */
export function checkRetries({ name, policy: { retries, recovery } }: Tool): void {
  if (!retries) return;
  if (recovery !== 'rerun')
    throw new Error(`The tool "${name}" has retries, so its recovery has to be "rerun".`);
  const { times, backoff_ms } = retries;
  if (!isWithin(times, 1, MAX_TIMES) || !isWithin(backoff_ms, 0, MAX_BACKOFF_MS))
    throw new Error(
      `The retries of the tool "${name}" have to be 1 to ${MAX_TIMES} times, with a backoff_ms of 0 to ${MAX_BACKOFF_MS}.`,
    );
}

/**
 * True if the error may be transient. An error that declares it is believed; an unknown error may
 * be transient.
 */
function mayPass(error: unknown): boolean {
  const { retryable } = (error ?? {}) as { retryable?: unknown };
  if (typeof retryable === 'boolean') return retryable;
  if (error instanceof AppError) return TRANSIENT_KINDS.includes(error.kind);
  return !(error instanceof ZodError);
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
