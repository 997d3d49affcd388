import { AsyncLocalStorage } from 'node:async_hooks';

/** How long an answer may be gone before its call is given up, in milliseconds: a server may have it fetched in pieces. */
const GRACE_MS = 10_000;

const current = new AsyncLocalStorage<CallWatch>();

/** Notices that a server's answer to one call has ended without a result: the SDK waits for ever then. */
export class CallWatch {
  private readonly abort = new AbortController();
  private open = 0;
  private grace: NodeJS.Timeout | undefined;

  /** Whose answer is being fetched here, if it is a call's. */
  static get current(): CallWatch | undefined {
    return current.getStore();
  }

  /** Aborts once nothing more can come; the reason is an error. */
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
    const reason = new Error('its answer ended without a result');
    this.grace = setTimeout(() => this.abort.abort(reason), GRACE_MS);
  }

  failed(error: Error): void {
    this.abort.abort(error);
  }
}
