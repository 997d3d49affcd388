import type { Backlog } from '../../kernel/async/backlog.js';

/** A backlog that is also full while its reader works: what is read meanwhile would be kept. */
export class HeldBacklog implements Backlog {
  private work: Promise<unknown> | undefined;

  constructor(private readonly backlog: Backlog) {}

  get isFull(): boolean {
    return this.work !== undefined || this.backlog.isFull;
  }

  /** Full until the work is done, or has failed. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.work = work;
    try {
      return await work;
    } finally {
      this.work = undefined;
    }
  }

  async drained(): Promise<void> {
    await Promise.allSettled([this.work]);
    await this.backlog.drained();
  }
}
