import { ANY_TENANT } from '../../persistence/any-tenant.js';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { LeaseStore } from '../../persistence/lease.store.js';
import type { LeaseTerms } from '../../persistence/rows/lease-rows.js';
import { isFinal } from '../../protocol/interaction.js';
import type { Run } from '../run.js';
import { RunLease } from '../scope/run-lease.js';

/** Interval of looks at the clock, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

/** Owner of leases: unique to this start of this process. */
@Injectable()
export class ProcessName {
  readonly name = `${hostname()}/${process.pid}/${randomUUID()}`;
}

export interface LeasedRun {
  readonly run: Run;
  readonly lease: RunLease;
}

/** Renews the leases of this process's runs, and stops runs whose lease is lost. */
@Injectable()
export class LeaseKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly terms: LeaseTerms;
  private readonly logger = new Logger('Leases');
  private readonly runs = new Map<string, LeasedRun>();
  private timer: NodeJS.Timeout | undefined;
  private watch: NodeJS.Timeout | undefined;
  /** Time that the machine was suspended, as far as known, in milliseconds. */
  private suspended_ms: number;
  private isRenewing = false;

  constructor(
    private readonly interactions: InteractionStore,
    private readonly leases: LeaseStore,
    private readonly clock: Clock,
    private readonly config: Config,
    process: ProcessName,
  ) {
    this.terms = { owner: process.name, ttl_ms: config.leaseTtlMs };
    this.suspended_ms = this.measureSuspended();
  }

  /** No `Periodic`: a tick is due also while the renewal before it waits for the store. */
  onApplicationBootstrap(): void {
    const interval = this.config.leaseTtlMs / 3;
    this.timer = setInterval(() => this.tick(), interval).unref();
    this.watch = setInterval(() => this.look(), Math.min(interval, CHECK_INTERVAL_MS)).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    clearInterval(this.watch);
  }

  /** `leased_at`: `boottime` of the clock, taken before the lease was requested. */
  newLease(leased_at: number): RunLease {
    return new RunLease(this.clock, this.config.leaseTtlMs, leased_at);
  }

  hold(leased: LeasedRun): void {
    this.runs.set(leased.run.interactionId, leased);
  }

  drop(leased: LeasedRun): void {
    const { interactionId } = leased.run;
    if (this.runs.get(interactionId) === leased) this.runs.delete(interactionId);
  }

  held(): readonly LeasedRun[] {
    return [...this.runs.values()];
  }

  /** The run of the interaction, if it is in this process. */
  find(interactionId: string): Run | undefined {
    return this.runs.get(interactionId)?.run;
  }

  /**
   * Timers stand still while the machine is suspended, so renewals are overdue afterwards. If the
   * wall clock was only corrected, the leases are still held: the store knows, and is asked at
   * once.
   */
  private look(): void {
    const before = this.suspended_ms;
    this.suspended_ms = this.measureSuspended();
    const isLate = this.suspended_ms - before >= this.config.leaseTtlMs / 3;
    if (isLate && !this.isRenewing && this.runs.size > 0) void this.renew();
  }

  private measureSuspended(): number {
    return this.clock.boottime() - this.clock.monotonic();
  }

  private tick(): void {
    if (this.isRenewing) return this.stopStale(); // the store doesn't answer
    if (this.runs.size > 0) void this.renew();
  }

  private stopStale(): void {
    for (const { run, lease } of this.held()) if (!lease.isFresh) run.cutOff();
  }

  private async renew(): Promise<void> {
    this.isRenewing = true;
    const asked = this.held().map((leased) => ({ leased, seq: leased.run.savedSeq }));
    const sent_at = this.clock.boottime();
    try {
      const leases = asked.map(({ leased: { run } }) => ({
        interaction_id: run.interactionId,
        epoch: run.epoch,
      }));
      const states = await this.leases.renewLeases(leases, this.terms);
      const renewed = new Map(states.map((state) => [state.interaction_id, state]));
      for (const { leased, seq } of asked) {
        const state = renewed.get(leased.run.interactionId);
        if (!state) {
          void this.stopUnlessEnded(leased);
          continue;
        }
        if (state.last_seq < seq) {
          const { id: interaction_id, chat_id, epoch } = leased.run.interaction;
          const message = `${interaction_id}: the database went back from record ${seq} to ${state.last_seq}. The run stops, and the interaction resumes from there.`;
          this.logger.warn({ message, interaction_id, chat_id, epoch });
          leased.run.lose();
          continue;
        }
        leased.lease.renewed_at = sent_at;
        leased.run.signals.renewed(state);
      }
    } catch {
      this.stopStale();
    } finally {
      this.isRenewing = false;
    }
  }

  /** Stops the run, unless it has just ended: then it has no lease either. */
  private async stopUnlessEnded({ run }: LeasedRun): Promise<void> {
    const row = await this.interactions
      .findInteraction(run.interactionId, ANY_TENANT)
      .catch(() => undefined);
    const hasEnded = row?.epoch === run.epoch && isFinal(row.status);
    if (!hasEnded) run.lose();
  }
}
