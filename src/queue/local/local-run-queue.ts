import { RunQueue } from '../run-queue.js';
import type { EnqueueOptions, RunHandler } from '../run-queue.js';
import { Slots } from './slots.js';

/** The queue of a single process: what has begun first, then first come, first run, a bounded number at work at once. */
export class LocalRunQueue extends RunQueue {
  private handler: RunHandler | undefined;
  private readonly begun = new Set<string>();
  private readonly fresh = new Set<string>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly slots: Slots;
  private readonly onRoom: (() => void)[] = [];
  private stopped = false;

  constructor(concurrency: number) {
    super();
    this.slots = new Slots(concurrency, () => this.next());
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

  start(handler: RunHandler): void {
    this.handler = handler;
    this.next();
  }

  enqueue(interactionId: string, { as = 'begun' }: EnqueueOptions = {}): void {
    if (!this.fresh.has(interactionId) && !this.begun.has(interactionId))
      (as === 'new' ? this.fresh : this.begun).add(interactionId);
    this.next();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.begun.clear();
    this.fresh.clear();
    this.tellOfRoom();
    await Promise.all(this.running.values());
  }

  /** Resolves when what comes next would begin at once, or nothing begins any more. */
  async room(): Promise<void> {
    if (!this.isImmediate && !this.stopped)
      await new Promise<void>((resolve) => this.onRoom.push(resolve));
  }

  private next(): void {
    for (const waiting of [this.begun, this.fresh])
      for (const id of waiting) {
        if (!this.isImmediate) return;
        if (this.running.has(id)) continue; // it runs once more when this run is over
        waiting.delete(id);
        this.run(id);
      }
    if (this.isImmediate) this.tellOfRoom();
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

  private tellOfRoom(): void {
    for (const tell of this.onRoom.splice(0)) tell();
  }
}
