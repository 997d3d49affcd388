import { LeaseStore } from '../../persistence/lease.store.js';
import type {
  Lease,
  LeaseState,
  LeaseTerms,
  ParkedLease,
  Unowned,
} from '../../persistence/rows/lease-rows.js';
import type { ChatKeys } from './chat-keys.js';
import { lasting } from './lasting.js';
import { keyIdOf } from './sealed/sealed-fields.js';
import {
  keysOfInteraction,
  openInteraction,
  openReason,
  withoutTexts,
} from './sealed/sealed-interaction.js';

/** Leases of another store, whose interactions are encrypted. */
export class EncryptedLeaseStore extends LeaseStore {
  constructor(
    private readonly inner: LeaseStore,
    private readonly keys: ChatKeys,
  ) {
    super();
  }

  /** The run appends next: its key is in memory from now on. */
  async acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined> {
    const lease = await this.inner.acquireLease(interactionId, terms);
    if (!lease) return undefined;
    this.keys.note(lease.interaction);
    try {
      await this.keys.data.ofChat(lease.interaction.chat_uid);
      const keys = await this.keys.load(keysOfInteraction(lease.interaction));
      return { ...lease, interaction: openInteraction(keys, lease.interaction) };
    } catch (error) {
      return { ...lease, interaction: withoutTexts(lease.interaction), fault: lasting(error) };
    }
  }

  async renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]> {
    const states = await this.inner.renewLeases(held, terms);
    return Promise.all(states.map((state) => this.openState(state)));
  }

  /** A fault of one run does not touch the others. */
  private async openState(state: LeaseState): Promise<LeaseState> {
    const { interaction_id, cancel_reason } = state;
    try {
      const keys = await this.keys.load([keyIdOf(cancel_reason)]);
      return { ...state, cancel_reason: openReason(keys, interaction_id, cancel_reason) };
    } catch (error) {
      return { ...state, cancel_reason: lasting(error).message };
    }
  }

  leaveTrial(interactionId: string, epoch: number): Promise<void> {
    return this.inner.leaveTrial(interactionId, epoch);
  }

  releaseLease(interactionId: string, epoch: number): Promise<void> {
    return this.inner.releaseLease(interactionId, epoch);
  }

  park(lease: ParkedLease): Promise<boolean> {
    return this.inner.park(lease);
  }

  listAwaited(limit: number, after?: string): Promise<string[]> {
    return this.inner.listAwaited(limit, after);
  }

  wakeParked(waitsFor: string, limit: number): Promise<string[]> {
    return this.inner.wakeParked(waitsFor, limit);
  }

  listUnowned(limit: number): Promise<Unowned[]> {
    return this.inner.listUnowned(limit);
  }
}
