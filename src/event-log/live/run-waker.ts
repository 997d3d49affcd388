import { Injectable } from '@nestjs/common';
import { RunQueue } from '../../queue/run-queue.js';
import { LiveBus } from './live-bus.js';

/**
 * Tells the owner of an interaction that its row has changed: a decision, a cancellation, a note.
 * A run in memory, on any process, reads the row again; a parked one is resumed by the queue. Both
 * are only faster than what happens anyway: the next renewal of the lease, and the sweep.
 */
@Injectable()
export class RunWaker {
  constructor(
    private readonly bus: LiveBus,
    private readonly queue: RunQueue,
  ) {}

  wake(interactionId: string): void {
    this.bus.wake(interactionId);
    this.queue.enqueue(interactionId);
  }
}
