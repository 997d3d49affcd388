/** Time, injected so that tests own it. */
export abstract class Clock {
  /** Wall clock, for what people read. */
  abstract now(): Date;
  /** Milliseconds that never jump, for durations and leases. */
  abstract monotonic(): number;

  /**
   * Calls once when this time has passed, unless what it returns is called before. Does not keep
   * the process alive.
   */
  after(milliseconds: number, call: () => void): () => void {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  }

  /**
   * Resolves when this time has passed.
   * @throws the reason of the signal, once it is aborted
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
