import { RunQueue } from '../run-queue.js';
import type { RunHandler } from '../run-queue.js';

/** The queue of a single process: first come, first run, a bounded number at once. */
export class LocalRunQueue extends RunQueue {
  private handler: RunHandler | undefined;
  private readonly waiting = new Set<string>();
  private readonly running = new Map<string, Promise<void>>();
  private stopped = false;

  constructor(private readonly concurrency: number) {
    super();
  }

  get isImmediate(): boolean {
    return this.handler !== undefined && !this.stopped && this.running.size < this.concurrency;
  }

  start(handler: RunHandler): void {
    this.handler = handler;
    this.next();
  }

  enqueue(interactionId: string): void {
    this.waiting.add(interactionId);
    this.next();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting.clear();
    await Promise.all(this.running.values());
  }

  private next(): void {
    for (const id of this.waiting) {
      if (!this.isImmediate) return;
      if (this.running.has(id)) continue; // it runs once more when this run is over
      this.waiting.delete(id);
      this.run(id);
    }
  }

  private run(id: string): void {
    const run = this.handler!(id).finally(() => {
      this.running.delete(id);
      this.next();
    });
    this.running.set(id, run);
  }
}
