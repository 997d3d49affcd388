import { AppError } from '../kernel/app-error.js';

export type ModelErrorCode =
  | 'model_auth'
  | 'model_not_found'
  | 'model_refused'
  /** The request has more tokens than the model accepts. */
  | 'model_context_exceeded'
  | 'model_rate_limited'
  | 'model_overloaded'
  | 'model_timeout'
  | 'model_unreachable'
  | 'model_bad_response'
  | 'model_cut_off'
  | 'model_empty_answer';

export interface ModelErrorOptions {
  /** True if the same request may succeed a little later. */
  readonly retryable: boolean;
  /** Attempts with one model that such an error may take; default: those of the retry policy. */
  readonly max_attempts?: number;
  /** The vendor's Retry-After, in milliseconds. */
  readonly retry_after_ms?: number;
  /** The vendor's HTTP status, if there was a response. */
  readonly status?: number;
  readonly cause?: unknown;
}

/**
 * The only error type of model providers. Its message names the cause and the thing to check. It
 * never contains an API key.
 */
export class ModelError extends AppError {
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly maxAttempts: number | undefined;

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions) {
    super('unavailable', code, message, { cause: options.cause });
    this.retryable = options.retryable;
    this.retryAfterMs = options.retry_after_ms;
    this.status = options.status;
    this.maxAttempts = options.max_attempts;
  }
}
