/** The result of the work. */
export type Ending<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  /**
   * The work was told to stop. `late`: its result after that; undefined if it ignored the signal
   * and still runs.
   */
  | { readonly kind: 'stopped'; readonly by: StopReason; readonly late?: Settled<T> };

export type Settled<T> = Extract<Ending<T>, { kind: 'returned' | 'threw' }>;
export type StopReason = 'timeout' | 'cancel';

export interface RunLimits {
  /** Timeout in milliseconds; 0: none. */
  readonly timeout_ms: number;
  /** Aborts when the work is cancelled. */
  readonly signal: AbortSignal;
}

/** Grace period in milliseconds for work that was told to stop. */
export const STOP_GRACE_MS = 5_000;

/** Pauses the timeout until the returned function is called. */
export type Pause = () => () => void;

type Work<T> = (signal: AbortSignal, pause: Pause) => Promise<T> | T;

/** Runs work in bounded time: its signal aborts on timeout and on cancellation. Never rejects. */
export async function runUntil<T>(
  work: Work<T>,
  { timeout_ms, signal }: RunLimits,
): Promise<Ending<T>> {
  const stopper = new AbortController();
  const stop = new Stop(timeout_ms, signal);
  const settled = settle(() => work(stopper.signal, () => stop.pause()));
  try {
    const first = await Promise.race([settled, stop.reason]);
    if (typeof first !== 'string') return first;
    stopper.abort(new DOMException(`The call was stopped: ${first}.`, 'AbortError'));
    const late = await Promise.race([settled, stop.graceOver()]);
    return { kind: 'stopped', by: first, ...(late && { late }) };
  } finally {
    stop.clear();
  }
}

async function settle<T>(work: () => Promise<T> | T): Promise<Settled<T>> {
  try {
    return { kind: 'returned', value: await work() };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

/** Signals the stop. Removes its listeners from a signal that outlives the work. */
class Stop {
  readonly reason: Promise<StopReason>;
  private readonly timeout: PausableTimer;
  private grace: NodeJS.Timeout | undefined;
  private tell: (reason: StopReason) => void = () => {};
  private readonly onAbort = () => this.tell('cancel');

  constructor(
    timeoutMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.reason = new Promise((resolve) => {
      this.tell = resolve;
    });
    this.timeout = new PausableTimer(timeoutMs, () => this.tell('timeout'));
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort, { once: true });
  }

  pause(): () => void {
    return this.timeout.pause();
  }

  graceOver(): Promise<undefined> {
    this.timeout.stop();
    return new Promise((resolve) => {
      this.grace = setTimeout(() => resolve(undefined), STOP_GRACE_MS);
    });
  }

  clear(): void {
    this.timeout.stop();
    clearTimeout(this.grace);
    this.signal.removeEventListener('abort', this.onAbort);
  }
}

/**
 * Timer that fires once after `left_ms` milliseconds, without the time in which it is paused; 0:
 * never.
 */
class PausableTimer {
  private timer: NodeJS.Timeout | undefined;
  private since = 0;
  private pauses = 0;

  constructor(
    private left_ms: number,
    private readonly onElapsed: () => void,
  ) {
    this.start();
  }

  /**
   * Pauses the timer until the returned function is called; the timer runs when no pause is left.
   */
  pause(): () => void {
    if (this.pauses++ === 0) this.halt();
    let isPaused = true;
    return () => {
      if (isPaused && --this.pauses === 0) this.start();
      isPaused = false;
    };
  }

  stop(): void {
    clearTimeout(this.timer);
    this.left_ms = 0;
  }

  private start(): void {
    if (this.left_ms <= 0) return;
    this.since = performance.now();
    this.timer = setTimeout(this.onElapsed, this.left_ms);
  }

  private halt(): void {
    if (this.left_ms <= 0) return;
    clearTimeout(this.timer);
    this.left_ms = Math.max(1, this.left_ms - (performance.now() - this.since));
  }
}
