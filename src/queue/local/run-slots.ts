import type { RunSlot } from '../run-queue.js';

/** A bounded number of slots. Runs that reclaim one come before new runs. */
export class RunSlots {
  private held = 0;
  /** In the order in which they were reclaimed. */
  private readonly claims = new Map<LocalRunSlot, () => void>();

  /** `onFree` is called when a slot is free that no run reclaims. */
  constructor(
    private readonly limit: number,
    private readonly onFree: () => void,
  ) {}

  get isFull(): boolean {
    return this.held >= this.limit;
  }

  lend(): LocalRunSlot {
    this.held++;
    return new LocalRunSlot(this);
  }

  hold(slot: LocalRunSlot): void {
    this.claims.delete(slot);
    this.held++;
  }

  /** Calls `onGranted` when a slot is free. */
  claim(slot: LocalRunSlot, onGranted: () => void): void {
    this.claims.set(slot, onGranted);
  }

  withdraw(slot: LocalRunSlot): void {
    this.claims.delete(slot);
  }

  giveBack(): void {
    this.held--;
    for (const [slot, onGranted] of [...this.claims]) {
      if (this.isFull) return;
      slot.take();
      onGranted();
    }
    if (!this.isFull) this.onFree();
  }
}

class LocalRunSlot implements RunSlot {
  private state: 'held' | 'released' | 'claimed' | 'over' = 'held';

  constructor(private readonly slots: RunSlots) {}

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
