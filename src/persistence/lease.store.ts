import type { Lease, LeaseState, LeaseTerms, ParkedLease, Unowned } from './rows/lease-rows.js';

/** Port: leases, which assign each interaction to the process that runs it. */
export abstract class LeaseStore {
  /**
   * Acquires the lease of an active interaction, or of a queued one that is to be cancelled, if it
   * is free or expired by the clock of the store, and increments its epoch.
   */
  abstract acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined>;
  /** Renews the leases that are still held; a lease missing from the result is lost. */
  abstract renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]>;
  /** Others join a suspect that runs: a loss is not counted as one of `trial` 1 any more. */
  abstract leaveTrial(interactionId: string, epoch: number): Promise<void>;
  /** Releases a lease without ending the interaction. */
  abstract releaseLease(interactionId: string, epoch: number): Promise<void>;
  /**
   * Releases a lease to wait for a person, if the status is a waiting one, or for what is
   * `missing`, if no signal came after `signals`. Returns false if the caller must read the signals
   * again. The interaction stays unowned until a decision, a cancel, an intervention or
   * `wakeParked` increments `signals`. Its next lease has no `waits_for`.
   */
  abstract park(lease: ParkedLease): Promise<boolean>;
  /**
   * The requirements, each once and sorted, that parked interactions wait for: those after the
   * given one, or all.
   */
  abstract listAwaited(limit: number, after?: string): Promise<string[]>;
  /** Signals interactions that are parked until the server has this. Returns their ids. */
  abstract wakeParked(waitsFor: string, limit: number): Promise<string[]>;
  /**
   * Unowned interactions that should run: active ones that were never leased, were released, or
   * whose lease expired; parked ones only after a new signal; queued ones that are to be cancelled.
   * Oldest first.
   */
  abstract listUnowned(limit: number): Promise<Unowned[]>;
}
