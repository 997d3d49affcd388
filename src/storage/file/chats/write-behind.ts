/**
 * Runs tasks in the background, one at a time. A task that is scheduled again before it began runs
 * once, so that data that changes often is written as often as the disk allows.
 */
export class WriteBehind {
  readonly #tasks = new Map<string, () => Promise<void>>();
  #draining: Promise<void> | undefined;

  constructor(private readonly onError: (error: unknown) => void) {}

  schedule(key: string, task: () => Promise<void>): void {
    this.#tasks.set(key, task);
    this.#draining ??= this.#drain();
  }

  /** Resolves once everything scheduled so far is done. */
  async flush(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    for (const [key, task] of this.#tasks) {
      this.#tasks.delete(key);
      await task().catch(this.onError);
    }
    // In the same tick as the check for a next task, so that none is missed.
    this.#draining = undefined;
  }
}
