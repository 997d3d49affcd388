import { LeaseStore } from '../../persistence/lease.store.js';
import { countLosses } from '../../persistence/interaction-rules.js';
import type {
  Lease,
  LeaseState,
  LeaseTerms,
  ParkedLease,
  Unowned,
} from '../../persistence/rows/lease-rows.js';
import { isWaiting } from '../../protocol/interaction.js';
import { acquiredState, parkedState, releasedState, wokenState } from './core/interaction-state.js';
import type { StoreCore } from './core/store-core.js';
import { compareKeys } from './core/store-index.js';
import type { StoredInteraction } from './core/stored-interaction.js';

interface HeldLease {
  readonly interaction_id: string;
  readonly epoch: number;
}

/**
 * Epoch and owner are saved before the caller receives them. The expiry of a lease is kept in
 * memory only, so a restart ends it.
 */
export class MemoryLeaseStore extends LeaseStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined> {
    return this.core.change(interactionId, async (interaction) => {
      if (!this.wantsRun(interaction)) return undefined;
      const { owner: lost_owner, parked_signals } = interaction.state;
      await interaction.commit(acquiredState(interaction.state, terms.owner, terms));
      this.core.lend(interaction, terms);
      const row = await interaction.readRow();
      const { losses, alone_losses } = interaction.state;
      const parked = parked_signals !== null;
      return { interaction: row, lost_owner, parked, losses, alone_losses };
    });
  }

  async renewLeases(held: readonly HeldLease[], terms: LeaseTerms): Promise<LeaseState[]> {
    const renewed: LeaseState[] = [];
    for (const { interaction_id, epoch } of held) {
      const interaction = this.core.index.findInteraction(interaction_id);
      const { state } = interaction ?? {};
      if (!interaction || state?.epoch !== epoch || state.owner !== terms.owner) continue;
      this.core.lend(interaction, terms);
      const { last_seq, signals, cancel_reason, cancelled_by } = state;
      renewed.push({ interaction_id, last_seq, signals, cancel_reason, cancelled_by });
    }
    return renewed;
  }

  async leaveTrial(interactionId: string, epoch: number): Promise<void> {
    await this.core.change(interactionId, async (interaction) => {
      const { state } = interaction;
      if (state.epoch === epoch && state.owner !== null)
        await interaction.commit({ ...state, trial: 0 });
    });
  }

  async releaseLease(interactionId: string, epoch: number): Promise<void> {
    await this.core.change(interactionId, async (interaction) => {
      const { state } = interaction;
      if (state.epoch === epoch && state.owner !== null)
        await interaction.commit(releasedState(state));
    });
  }

  async park(lease: ParkedLease): Promise<boolean> {
    const isParked = await this.core.change(lease.interaction_id, async (interaction) => {
      const { state } = interaction;
      const { epoch, owner, status, signals, cancel_reason } = state;
      const isHeld = epoch === lease.epoch && owner !== null;
      const isCurrent = isHeld && (isWaiting(status) || lease.missing !== undefined);
      if (!isCurrent || signals !== lease.signals || cancel_reason !== null) return false;
      await interaction.commit(parkedState(state, lease.missing));
      return true;
    });
    return isParked ?? false;
  }

  async listAwaited(limit: number, after = ''): Promise<string[]> {
    const awaited = this.parked().map(({ state }) => state.waits_for!);
    return [...new Set(awaited)]
      .sort()
      .filter((each) => each > after)
      .slice(0, limit);
  }

  async wakeParked(waitsFor: string, limit: number): Promise<string[]> {
    const found = this.parked().filter(({ state }) => state.waits_for === waitsFor);
    const woken = found.slice(0, limit).map(({ id }) =>
      this.core.change(id, async (interaction) => {
        if (!isParkedFor(interaction, waitsFor)) return [];
        await interaction.commit(wokenState(interaction.state));
        return [id];
      }),
    );
    return (await Promise.all(woken)).flatMap((ids) => ids ?? []);
  }

  /** Interactions that wait for a requirement. */
  private parked(): StoredInteraction[] {
    return this.core.index.busyChats.flatMap(({ unfinished }) =>
      unfinished.filter((each) => isParkedFor(each, each.state.waits_for)),
    );
  }

  async listUnowned(limit: number): Promise<Unowned[]> {
    return this.core.index.busyChats
      .flatMap(({ unfinished }) => unfinished.filter((each) => this.wantsRun(each)))
      .sort((a, b) => compareKeys(a.known, b.known))
      .slice(0, limit)
      .map(({ id, state }) => ({
        id,
        is_lost: state.owner !== null,
        ...countLosses(state),
      }));
  }

  /** True if it should run and has no valid lease. */
  private wantsRun({ state, hasEnded, isQueued, leaseUntil }: StoredInteraction): boolean {
    const { owner, signals, parked_signals, cancel_reason } = state;
    const isHeld = owner !== null && this.core.clock.monotonic() < leaseUntil;
    if (hasEnded || isHeld) return false;
    return isQueued ? cancel_reason !== null : parked_signals !== signals;
  }
}

function isParkedFor({ state, hasEnded }: StoredInteraction, waitsFor?: string): boolean {
  const { waits_for, signals, parked_signals } = state;
  const isParked = !hasEnded && parked_signals === signals;
  return isParked && waits_for !== undefined && waits_for === waitsFor;
}
