import { AsyncValue } from '../../kernel/async/async-value.js';

/**
 * Grace period in milliseconds after a response ends without a result, before its request fails: a
 * server may send the result on another stream.
 */
const GRACE_MS = 10_000;

const current = new AsyncValue<CallWatch>();

/**
 * Detects that the response to one request has ended without a result; without it, the SDK would
 * wait forever.
 */
export class CallWatch {
  private readonly abort = new AbortController();
  private readonly end = new AbortController();
  private open = 0;
  private grace: NodeJS.Timeout | undefined;
  private isFaulty = false;
  private reason: Error | undefined;

  /** The request whose response is read in this async context; undefined if there is none. */
  static get current(): CallWatch | undefined {
    return current.get();
  }

  /** Does work that belongs to no request. */
  static outside<T>(work: () => T): T {
    return current.run(undefined, work);
  }

  /** Aborts when the request has its result, or has failed. */
  get over(): AbortSignal {
    return this.end.signal;
  }

  /** The reason why no result could come any more, if the request failed for that. */
  get failure(): Error | undefined {
    return this.reason;
  }

  /**
   * Makes a request with a signal that follows the given one, but not after the request is over:
   * the SDK listens for ever, and would tell the server to cancel what was answered long ago.
   */
  async watch<T>(given: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const follow = (): void => this.abort.abort(given.reason);
    if (given.aborted) follow();
    given.addEventListener('abort', follow, { once: true });
    try {
      return await current.run(this, () => request(this.abort.signal));
    } finally {
      given.removeEventListener('abort', follow);
      clearTimeout(this.grace);
      this.end.abort();
    }
  }

  began(): void {
    this.open++;
    clearTimeout(this.grace);
  }

  ended(): void {
    if (--this.open > 0 || this.over.aborted) return;
    const fault = this.isFaulty ? "its answer can't be read" : 'its answer ended without a result';
    this.grace = setTimeout(() => this.failed(new Error(fault)), GRACE_MS);
  }

  /** A message of the response is malformed; its result may still come. */
  noteFault(): void {
    this.isFaulty = true;
  }

  failed(error: Error): void {
    if (this.over.aborted || this.abort.signal.aborted) return;
    this.reason = error;
    this.abort.abort(error);
  }
}
