import { LocalSlot } from './local-slot.js';

/** A bounded number of slots. Whoever wants one back comes before anybody new. */
export class Slots {
  private held = 0;
  /** In the order in which they asked. */
  private readonly claims = new Map<LocalSlot, () => void>();

  /** `onFree` is called when a slot has become free that nobody wants back. */
  constructor(
    private readonly limit: number,
    private readonly onFree: () => void,
  ) {}

  get isFull(): boolean {
    return this.held >= this.limit;
  }

  lend(): LocalSlot {
    this.held++;
    return new LocalSlot(this);
  }

  hold(slot: LocalSlot): void {
    this.claims.delete(slot);
    this.held++;
  }

  /** Calls `onGranted` when there is room. */
  claim(slot: LocalSlot, onGranted: () => void): void {
    this.claims.set(slot, onGranted);
  }

  withdraw(slot: LocalSlot): void {
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
