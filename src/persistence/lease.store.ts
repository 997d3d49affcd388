import type { Lease, LeaseState, LeaseTerms, Unowned } from './rows/store-rows.js';

/** Port: which process runs an interaction. */
export abstract class LeaseStore {
  /** Takes the lease of an active interaction, or of a queued one that is to be cancelled, if it is free or has expired, by the store's clock, and counts its epoch up. */
  abstract acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined>;
  /** Renews those still held; what is not in the answer is lost. */
  abstract renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]>;
  /** Lets go of a lease without ending the interaction. */
  abstract releaseLease(interactionId: string, epoch: number): Promise<void>;
  /**
   * Lets go of a lease to wait for a person, if the status says that one is waited for and nothing has been signalled since `signals`.
   * False: look again. The interaction stays unowned until a decision, a cancel or an intervention counts `signals` up.
   */
  abstract park(lease: {
    interaction_id: string;
    epoch: number;
    signals: number;
  }): Promise<boolean>;
  /**
   * Interactions that should run and that nobody holds: active ones never leased, let go of, or lapsed, but parked ones only when
   * something was signalled since; queued ones that are to be cancelled. Oldest first.
   */
  abstract listUnowned(limit: number): Promise<Unowned[]>;
}
