import type { Slot } from '../run-queue.js';
import type { Slots } from './slots.js';

/** One of the slots of a process. */
export class LocalSlot implements Slot {
  private state: 'held' | 'released' | 'claimed' | 'over' = 'held';

  constructor(private readonly slots: Slots) {}

  release(): void {
    this.leave('released');
  }

  /** Its run is over. */
  end(): void {
    this.leave('over');
  }

  take(): void {
    if (this.state === 'held' || this.state === 'over') return;
    this.state = 'held';
    this.slots.hold(this);
  }

  reclaim(onGranted: () => void): boolean {
    if (this.state === 'released' && !this.slots.isFull) this.take();
    if (this.state === 'released') {
      this.state = 'claimed';
      this.slots.claim(this, onGranted);
    }
    return this.state === 'held';
  }

  private leave(next: 'released' | 'over'): void {
    if (this.state === 'over') return;
    const wasHeld = this.state === 'held';
    this.state = next;
    if (wasHeld) this.slots.giveBack();
    else this.slots.withdraw(this);
  }
}
