interface Waiter {
  readonly branch: object;
  readonly grant: () => void;
}

/**
 * A fair semaphore. A free permit goes to the branch that holds the fewest, and within a branch to
 * the first waiter.
 */
export class FairSemaphore {
  /** Number of permits that each branch holds. */
  private readonly held = new Map<object, number>();
  private free: number;
  /** In order of arrival. */
  private readonly waiters = new Set<Waiter>();

  constructor(limit: number) {
    this.free = limit;
  }

  /**
   * Runs the work as soon as a permit is free.
   *
   * @throws the reason of the signal, if it aborts while the work waits; the error of the work
   */
  async run<T>(branch: object, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.take(branch);
    else await this.granted(branch, signal);
    try {
      return await work();
    } finally {
      this.giveBack(branch);
    }
  }

  private granted(branch: object, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = (): void => {
        this.waiters.delete(waiter);
        reject(signal.reason as Error);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', abort);
        this.waiters.delete(waiter);
        this.take(branch);
        resolve();
      };
      const waiter = { branch, grant };
      this.waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  private take(branch: object): void {
    this.free--;
    this.held.set(branch, this.heldBy(branch) + 1);
  }

  private giveBack(branch: object): void {
    this.free++;
    this.held.set(branch, this.heldBy(branch) - 1);
    let next: Waiter | undefined;
    for (const waiter of this.waiters)
      if (!next || this.heldBy(waiter.branch) < this.heldBy(next.branch)) next = waiter;
    next?.grant();
  }

  private heldBy(branch: object): number {
    return this.held.get(branch) ?? 0;
  }
}
