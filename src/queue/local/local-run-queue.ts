import { RunQueue } from '../run-queue.js';
import type { Clock } from '../../kernel/clock.js';
import type { EnqueueOptions, RunHandler } from '../run-queue.js';
import { RunSlots } from './run-slots.js';

/**
 * The queue of a single process: begun runs first, then first in, first out; a bounded number works
 * at once.
 */
export class LocalRunQueue extends RunQueue {
  readonly refusedSince = undefined;
  private handler: RunHandler | undefined;
  /** Ids with the monotonic time when they were enqueued. */
  private readonly begun = new Map<string, number>();
  private readonly fresh = new Map<string, number>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly slots: RunSlots;
  private readonly roomWaiters: (() => void)[] = [];
  private stopped = false;

  constructor(
    concurrency: number,
    private readonly clock: Clock,
  ) {
    super();
    this.slots = new RunSlots(concurrency, () => this.next());
  }

  get isImmediate(): boolean {
    return this.handler !== undefined && !this.stopped && !this.slots.isFull;
  }

  get queued(): number {
    return this.begun.size + this.fresh.size;
  }

  countWaiting(): Promise<number> {
    return Promise.resolve(this.queued);
  }

  longestWait(): Promise<number> {
    const since = [this.begun, this.fresh].flatMap((waiting) => {
      const oldest = [...waiting].find(([id]) => !this.running.has(id));
      return oldest ? [oldest[1]] : [];
    });
    return Promise.resolve(since.length === 0 ? 0 : this.clock.monotonic() - Math.min(...since));
  }

  start(handler: RunHandler): void {
    this.handler = handler;
    this.next();
  }

  enqueue(interactionId: string, { priority }: EnqueueOptions = {}): void {
    if (!this.fresh.has(interactionId) && !this.begun.has(interactionId))
      (priority === 'new' ? this.fresh : this.begun).set(interactionId, this.clock.monotonic());
    this.next();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.begun.clear();
    this.fresh.clear();
    this.resolveRoom();
    await Promise.all(this.running.values());
  }

  /** Resolves when the next interaction would run at once, or nothing is run any more. */
  async room(): Promise<void> {
    if (!this.isImmediate && !this.stopped)
      await new Promise<void>((resolve) => this.roomWaiters.push(resolve));
  }

  private next(): void {
    for (const waiting of [this.begun, this.fresh])
      for (const id of waiting.keys()) {
        if (!this.isImmediate) return;
        if (this.running.has(id)) continue; // runs once more afterwards
        waiting.delete(id);
        this.run(id);
      }
    if (this.isImmediate) this.resolveRoom();
  }

  private run(id: string): void {
    const slot = this.slots.lend();
    const run = this.handler!(id, slot).finally(() => {
      this.running.delete(id);
      slot.end();
      this.next();
    });
    this.running.set(id, run);
  }

  private resolveRoom(): void {
    for (const resolve of this.roomWaiters.splice(0)) resolve();
  }
}
