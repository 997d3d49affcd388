import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { LeaseStore } from '../../persistence/lease.store.js';
import type { LeaseState, LeaseTerms } from '../../persistence/rows/store-rows.js';
import { isFinal } from '../../protocol/interaction.js';
import { ProcessName } from './process-name.js';
import type { Run } from '../run.js';

export interface LeasedRun {
  readonly run: Run;
  /** Monotonic milliseconds, from before the last renewal that succeeded was sent. */
  renewed_at: number;
}

/** Keeps the leases of this process's runs, and tells a run when its lease is gone or somebody wants it cancelled. */
@Injectable()
export class LeaseKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly terms: LeaseTerms;
  private readonly runs = new Map<string, LeasedRun>();
  private timer: NodeJS.Timeout | undefined;
  private renewing = false;

  constructor(
    private readonly interactions: InteractionStore,
    private readonly leases: LeaseStore,
    private readonly clock: Clock,
    private readonly config: Config,
    process: ProcessName,
  ) {
    this.terms = { owner: process.name, ttl_ms: config.leaseTtlMs };
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.tick(), this.config.leaseTtlMs / 3).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  hold(held: LeasedRun): void {
    this.runs.set(held.run.interactionId, held);
  }

  drop(held: LeasedRun): void {
    const { interactionId } = held.run;
    if (this.runs.get(interactionId) === held) this.runs.delete(interactionId);
  }

  held(): readonly LeasedRun[] {
    return [...this.runs.values()];
  }

  isFresh({ renewed_at }: Pick<LeasedRun, 'renewed_at'>): boolean {
    return this.clock.monotonic() - renewed_at < this.config.leaseTtlMs;
  }

  /** Somebody has changed the row of an interaction: is it one that runs here? */
  async look(interactionId: string): Promise<void> {
    await this.runs
      .get(interactionId)
      ?.run.look()
      .catch(() => {}); // the store is away; the next renewal looks again
  }

  private tick(): void {
    if (this.renewing) return this.loseStale(); // the store doesn't answer
    if (this.runs.size > 0) void this.renew();
  }

  private loseStale(): void {
    for (const held of this.held()) if (!this.isFresh(held)) held.run.cutOff();
  }

  /** A lease is gone, too, when its run has just ended and is about to hear of it. */
  private async loseUnlessEnded({ run }: LeasedRun): Promise<void> {
    const row = await this.interactions.findInteraction(run.interactionId).catch(() => undefined);
    const hasEnded = row?.epoch === run.epoch && isFinal(row.status);
    if (!hasEnded) run.lose();
  }

  private async renew(): Promise<void> {
    this.renewing = true;
    const asked = this.held();
    const sent_at = this.clock.monotonic();
    try {
      const leases = asked.map(({ run }) => ({
        interaction_id: run.interactionId,
        epoch: run.epoch,
      }));
      const states = await this.leases.renewLeases(leases, this.terms);
      const kept = new Map(states.map((state) => [state.interaction_id, state]));
      for (const held of asked) {
        const state = kept.get(held.run.interactionId);
        if (!state) void this.loseUnlessEnded(held);
        else held.renewed_at = sent_at;
        if (state) tell(held, state);
      }
    } catch {
      this.loseStale();
    } finally {
      this.renewing = false;
    }
  }
}

/** Nobody's lease waits for what another run has to look up. */
function tell({ run }: LeasedRun, { cancel_reason, signals }: LeaseState): void {
  if (cancel_reason !== null) run.cancel(cancel_reason);
  else run.look(signals).catch(() => {}); // the store is away; the next renewal looks again
}
