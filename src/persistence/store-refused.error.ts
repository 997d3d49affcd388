import { AppError } from '../kernel/app-error.js';

/**
 * The store refused an append for good, such as a value out of range: nothing of it was written,
 * and no retry will succeed. `cause` says why.
 */
export class StoreRefused extends AppError {
  constructor(cause: unknown) {
    super(
      'internal',
      'store_refused',
      'The store refused to save what this run did, so that the interaction can’t go on. The log of the server says why. Edit the message to try again.',
      { cause },
    );
  }

  /** Undefined if a retry may succeed. */
  static from(cause: unknown): StoreRefused | undefined {
    if (cause instanceof StoreRefused) return cause;
    const isRefused = cause instanceof AppError && cause.kind !== 'unavailable';
    return isRefused ? new StoreRefused(cause) : undefined;
  }
}
