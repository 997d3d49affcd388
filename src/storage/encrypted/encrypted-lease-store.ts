import { LeaseStore } from '../../persistence/lease.store.js';
import type { Lease, LeaseState, LeaseTerms, Unowned } from '../../persistence/rows/store-rows.js';
import type { ChatKeys } from './chat-keys.js';
import { keyIdOf } from './sealed-fields.js';
import { keysOfInteraction, openInteraction, openReason } from './sealed-interaction.js';

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
    await this.keys.data.ofChat(lease.interaction.chat_uid);
    const keys = await this.keys.load(keysOfInteraction(lease.interaction));
    return { ...lease, interaction: openInteraction(keys, lease.interaction) };
  }

  async renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]> {
    const states = await this.inner.renewLeases(held, terms);
    const keys = await this.keys.load(states.map(({ cancel_reason }) => keyIdOf(cancel_reason)));
    return states.map((state) => {
      const { interaction_id, cancel_reason } = state;
      return { ...state, cancel_reason: openReason(keys, interaction_id, cancel_reason) };
    });
  }

  leaveTrial(interactionId: string, epoch: number): Promise<void> {
    return this.inner.leaveTrial(interactionId, epoch);
  }

  releaseLease(interactionId: string, epoch: number): Promise<void> {
    return this.inner.releaseLease(interactionId, epoch);
  }

  park(lease: { interaction_id: string; epoch: number; signals: number }): Promise<boolean> {
    return this.inner.park(lease);
  }

  listUnowned(limit: number): Promise<Unowned[]> {
    return this.inner.listUnowned(limit);
  }
}
