/** A smaller difference from the clock that is followed is not corrected, in milliseconds. */
const DRIFT_MS = 20;

/** A smaller jump of the wall clock may be its adjustment, in milliseconds. */
const JUMP_MS = 500;

/** Time, injected so that tests can control it. */
export abstract class Clock {
  /** The wall clock of this host minus the monotonic one, when last read, in milliseconds. */
  private distance_ms: number | undefined;
  /** Sum of the jumps forward of the wall clock, in milliseconds. */
  private jumped_ms = 0;

  /** Wall clock, for times that people read. */
  abstract now(): Date;
  /** Monotonic time in milliseconds, for durations. */
  abstract monotonic(): number;

  /**
   * Monotonic time in milliseconds that goes on while the machine is suspended, for leases. On
   * Linux `monotonic` stands still then, and only a jump of the wall clock tells. A wall clock that
   * is set forward looks the same.
   */
  boottime(): number {
    const monotonic = this.monotonic();
    const distance_ms = this.hostTime() - monotonic;
    const jump_ms = distance_ms - (this.distance_ms ?? distance_ms);
    if (jump_ms > JUMP_MS) this.jumped_ms += jump_ms;
    this.distance_ms = distance_ms;
    return monotonic + this.jumped_ms;
  }

  /** The wall clock of this host in milliseconds, also if `now` follows another. */
  protected hostTime(): number {
    return this.now().getTime();
  }

  /**
   * Makes `now` the time of a clock that several hosts share; `now` is what it read just now, give
   * or take `error_ms`.
   */
  follow(_now: Date, _error_ms: number): void {}

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

/** The time of this host, until there is a shared clock to follow. */
export class SystemClock extends Clock {
  /**
   * The shared clock minus the monotonic one, in milliseconds: jumps of the host's don't matter.
   */
  private ahead_ms: number | undefined;
  /** How exactly that is known. */
  private error_ms = Infinity;

  now(): Date {
    const { ahead_ms } = this;
    return new Date(ahead_ms === undefined ? Date.now() : performance.now() + ahead_ms);
  }

  override follow(now: Date, error_ms: number): void {
    const ahead_ms = now.getTime() - performance.now();
    const isKnown = Math.abs(ahead_ms - (this.ahead_ms ?? Infinity)) <= error_ms + DRIFT_MS;
    if (isKnown && error_ms >= this.error_ms) return;
    this.ahead_ms = ahead_ms;
    this.error_ms = error_ms;
  }

  monotonic(): number {
    return performance.now();
  }

  protected override hostTime(): number {
    return Date.now();
  }
}
