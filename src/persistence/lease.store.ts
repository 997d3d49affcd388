import type { Lease, LeaseState, LeaseTerms, Unowned } from './rows/store-rows.js';

/** Port: which process runs an interaction. */
export abstract class LeaseStore {
  /**
   * Acquires the lease of an active interaction, or of a queued one that is to be cancelled, if it
   * is free or expired by the clock of the store, and increments its epoch.
   */
  abstract acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined>;
  /** Renews those still held; one missing from the answer is lost. */
  abstract renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]>;
  /** Releases a lease without ending the interaction. */
  abstract releaseLease(interactionId: string, epoch: number): Promise<void>;
  /**
   * Releases a lease to wait for a person, if the status is a waiting one and no signal came after
   * `signals`. False: look again. The interaction stays unowned until a decision, a cancel or an
   * intervention increments `signals`.
   */
  abstract park(lease: {
    interaction_id: string;
    epoch: number;
    signals: number;
  }): Promise<boolean>;
  /**
   * Unowned interactions that should run: active ones never leased, released, or expired, but
   * parked ones only after a new signal; queued ones that are to be cancelled. Oldest first.
   */
  abstract listUnowned(limit: number): Promise<Unowned[]>;
}
