/** A signal that aborts with another one, or when a time is over. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.controller.abort(this.parent.reason);
  /** The time is over, and that came first. */
  isOver = false;

  constructor(
    private readonly parent: AbortSignal,
    /** Milliseconds; undefined: for ever. */
    timeoutMs: number | undefined,
  ) {
    if (parent.aborted) this.onAbort();
    else parent.addEventListener('abort', this.onAbort, { once: true });
    if (timeoutMs !== undefined)
      this.timer = setTimeout(() => this.end(), Math.min(timeoutMs, MAX_MS));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this.onAbort);
  }

  private end(): void {
    this.isOver = !this.signal.aborted;
    this.controller.abort();
  }
}

/** setTimeout can't wait longer. */
const MAX_MS = 2 ** 31 - 1;
