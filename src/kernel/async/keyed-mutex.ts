/**
 * Runs the tasks of one key one after the other, in the order of the calls. Tasks of different keys
 * do not wait for each other.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => T | Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before ? before.then(task, task) : (async () => task())();
    this.#tails.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    }
  }

  /** Resolves when no task runs or waits. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.allSettled(this.#tails.values());
  }
}
