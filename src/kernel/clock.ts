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
    let wake = (): void => {};
    const slept = new Promise<void>((resolve) => (wake = resolve));
    const callOff = this.after(milliseconds, wake);
    signal.addEventListener('abort', wake, { once: true });
    await slept;
    callOff();
    signal.removeEventListener('abort', wake);
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
