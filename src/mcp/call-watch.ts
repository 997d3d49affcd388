import { AsyncValue } from '../kernel/async/async-value.js';

/**
 * Grace period in milliseconds after a response ends without a result, before its call fails: a
 * server may deliver the response in several parts.
 */
const GRACE_MS = 10_000;

const current = new AsyncValue<CallWatch>();

/**
 * Detects that the response to one call has ended without a result; without it, the SDK would wait
 * forever.
 */
export class CallWatch {
  private readonly abort = new AbortController();
  private open = 0;
  private grace: NodeJS.Timeout | undefined;
  private isFaulty = false;

  /** The call whose response is read in this async context; undefined if there is none. */
  static get current(): CallWatch | undefined {
    return current.get();
  }

  /** Aborts when no result can come any more; the reason is an error. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await current.run(this, call);
    } finally {
      clearTimeout(this.grace);
    }
  }

  began(): void {
    this.open++;
    clearTimeout(this.grace);
  }

  ended(): void {
    if (--this.open > 0) return;
    const fault = this.isFaulty ? "its answer can't be read" : 'its answer ended without a result';
    const reason = new Error(fault);
    this.grace = setTimeout(() => this.abort.abort(reason), GRACE_MS);
  }

  /** A message of the response is malformed; its result may still come. */
  noteFault(): void {
    this.isFaulty = true;
  }

  failed(error: Error): void {
    this.abort.abort(error);
  }
}
