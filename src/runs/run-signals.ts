import type { InteractionStore } from '../persistence/interaction.store.js';
import type { LeaseStore } from '../persistence/lease.store.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';
import type { Slot } from '../queue/run-queue.js';

export interface SignalWatchOptions {
  readonly interactions: InteractionStore;
  readonly leases: LeaseStore;
  readonly interaction: InteractionRow;
  readonly slot: Slot;
  readonly isStopped: () => boolean;
  readonly cancel: (reason: string) => void;
  /** Takes in what was decided. The run has its slot. */
  readonly takeIn: () => Promise<void>;
}

/** Keeps a run up with what people decide about its interaction. */
export class SignalWatch {
  /** How many decisions, cancels and interventions the run knows of. */
  private signals: number;
  private looking: Promise<void> | undefined;
  private shouldLook = false;
  private parkAttempt: Promise<boolean> | undefined;

  constructor(private readonly options: SignalWatchOptions) {
    this.signals = options.interaction.signals;
  }

  /** Somebody has changed the row, or something that belongs to it. `signals` is what is known of it, if anything. */
  look(signals?: number): Promise<void> {
    if (this.options.isStopped() || signals === this.signals) return Promise.resolve();
    this.shouldLook = true;
    return (this.looking ??= this.lookWhileTold());
  }

  /** Lets go of the lease, unless something was signalled that the run doesn't know of: then it looks. `onParked` is called first. */
  async park(onParked: () => void): Promise<boolean> {
    this.parkAttempt = this.tryToPark(onParked);
    const parked = await this.parkAttempt;
    if (!parked) await this.look().catch(() => {}); // the store is away; the next try comes
    return parked;
  }

  /** Many decide at once: whoever tells of it meanwhile is answered by one more look. */
  private async lookWhileTold(): Promise<void> {
    try {
      while (this.shouldLook) {
        this.shouldLook = false;
        await this.lookOnce();
      }
    } finally {
      this.looking = undefined;
    }
  }

  private async lookOnce(): Promise<void> {
    const { interactions, interaction, slot, isStopped, cancel, takeIn } = this.options;
    await this.parkAttempt; // what comes after it is for the next run
    if (isStopped()) return;
    const row = await interactions.findInteraction(interaction.id);
    if (!row) return;
    if (row.cancel_reason !== null) return cancel(row.cancel_reason);
    if (row.signals === this.signals) return;
    if (!slot.reclaim(() => void this.look().catch(() => {}))) return; // it looks again when there is room
    await takeIn();
    this.signals = row.signals;
  }

  private async tryToPark(onParked: () => void): Promise<boolean> {
    const { leases, interaction } = this.options;
    const lease = { interaction_id: interaction.id, epoch: interaction.epoch };
    const attempt = leases.park({ ...lease, signals: this.signals });
    const parked = await attempt.catch(() => false);
    if (parked) onParked();
    return parked;
  }
}
