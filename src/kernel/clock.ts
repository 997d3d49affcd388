/** Time, injected so that tests can control it. */
export abstract class Clock {
  /** Wall clock, for times that people read. */
  abstract now(): Date;
  /** Monotonic time in milliseconds, for durations and leases. */
  abstract monotonic(): number;

  /**
   * Calls `call` once after this time, unless the returned function is called before. Does not keep
   * the process alive.
   */
  after(milliseconds: number, call: () => void): () => void {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  }

  /**
   * Resolves after this time.
   * @throws the reason of the signal when it aborts
   */
  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const over = new AbortController();
    await new Promise<void>((resolve) => {
      const callOff = this.after(milliseconds, resolve);
      const stop = (): void => {
        callOff();
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true, signal: over.signal });
    });
    over.abort();
    signal.throwIfAborted();
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  monotonic(): number {
    return performance.now();
  }
}
