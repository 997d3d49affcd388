import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AdmissionGate } from '../../streams/admission-gate.js';
import { withinTenant } from '../../kernel/tenant-scope.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { outsideRuns, withLogFields } from '../../logging/log-fields.js';
import { traceOf } from '../../timeline/trace-context.js';
import type { Lease } from '../../persistence/rows/lease-rows.js';
import type { Started } from '../../persistence/rows/start-rows.js';
import { RunQueue } from '../../queue/run-queue.js';
import type { RunSlot } from '../../queue/run-queue.js';
import { WaitingRuns } from '../parking.js';
import { Run } from '../run.js';
import type { RunInput } from '../scope/run-input.js';
import type { RunLease } from '../scope/run-lease.js';
import { RunServices } from '../scope/run-services.js';
import { CrashLoop } from '../closing/crash-loop.js';
import { CrashQuarantine } from './crash-quarantine.js';
import { giveUp, isTransient, unreadable } from '../closing/give-up.js';
import { LeaseKeeper } from './lease-keeper.js';
import { RunLoader } from './run-loader.js';

/** A lease that this process has acquired. */
interface Acquired {
  readonly row: Lease;
  readonly lease: RunLease;
  /** Set if this process has just started the interaction. */
  readonly started?: Started;
}

/**
 * An interaction without a run yet: this process has its lease and waits for the queue, or loads
 * it.
 */
interface Starting {
  acquired?: Acquired | undefined;
  /** Its row has changed meanwhile. */
  isWoken: boolean;
}

/** Runs the interactions that the queue hands to this process. */
@Injectable()
export class Runner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly starting = new Map<string, Starting>();
  /**
   * Interactions whose lease this process may hold without a run: the reply to its acquisition was
   * lost, or its release failed. This is reported to the store, so that it does not count as a
   * loss.
   */
  private readonly leaseInDoubt = new Set<string>();
  private readonly waiting: WaitingRuns;
  private readonly loader: RunLoader;
  private isStopping = false;
  private unsubscribe: () => void = () => {};
  private stopEnqueuing: () => void = () => {};

  constructor(
    private readonly services: RunServices,
    private readonly queue: RunQueue,
    private readonly leases: LeaseKeeper,
    private readonly quarantine: CrashQuarantine,
    private readonly admission: AdmissionGate,
  ) {
    this.loader = new RunLoader(services);
    this.waiting = new WaitingRuns(services.config.maxConcurrentRuns);
  }

  onApplicationBootstrap(): void {
    this.stopEnqueuing = this.services.records.onPromoted((id) =>
      this.queue.enqueue(id, { priority: 'new' }),
    );
    if (this.services.config.role === 'api') return;
    this.unsubscribe = this.services.bus.onWake((id) => this.wake(id));
    this.queue.start((id, slot) => outsideRuns(() => this.run(id, slot)));
  }

  /** Runs while the server still answers and leases are still renewed. */
  async onModuleDestroy(): Promise<void> {
    this.admission.close();
    this.unsubscribe();
    this.isStopping = true;
    const stopped = this.queue.stop();
    const grace_ms = this.services.config.shutdownGraceMs / 2;
    for (const { run } of this.leases.held()) void run.shutDown(grace_ms);
    const queued = [...this.starting.values()].flatMap(({ acquired }) => acquired ?? []);
    await Promise.all([stopped, ...queued.map((acquired) => this.release(acquired))]);
    this.stopEnqueuing();
  }

  /** Numbers of runs of this process: working, waiting for people in memory, waiting for a slot. */
  get counts(): { working: number; waiting: number; queued: number } {
    const waiting = this.waiting.count;
    return { working: this.leases.held().length - waiting, waiting, queued: this.queue.queued };
  }

  /** Number of interactions that wait for a slot in any process, as far as this one knows. */
  countWaiting(): Promise<number> {
    return this.queue.countWaiting();
  }

  /** Milliseconds that the oldest of them has waited. */
  longestWait(): Promise<number> {
    return this.queue.longestWait();
  }

  /**
   * Runs an interaction that this process has just created and leased; `leased_at` was taken before
   * that.
   */
  runClaimed(started: Started, leased_at: number): void {
    const { interaction } = started;
    const row: Lease = { interaction, lost_owner: null, parked: false, losses: 0, alone_losses: 0 };
    const acquired = { row, started, lease: this.leases.newLease(leased_at) };
    if (this.isStopping) return void this.release(acquired);
    this.starting.set(interaction.id, { acquired, isWoken: false });
    this.queue.enqueue(interaction.id, { priority: 'new', affinity: 'local' });
  }

  private wake(id: string): void {
    const starting = this.starting.get(id);
    if (starting) starting.isWoken = true;
    else void this.leases.find(id)?.signals.wake();
  }

  /** Called when there is room for it, perhaps by the end of another tenant's run. */
  private async run(id: string, slot: RunSlot): Promise<void> {
    const starting: Starting = this.starting.get(id) ?? { isWoken: false };
    this.starting.set(id, starting);
    try {
      const acquired = await this.acquire(id, starting);
      if (!acquired) return;
      const { interaction } = acquired.row;
      const { tenant_id, chat_id, epoch } = interaction;
      const trace = this.services.tracer.isOn && { trace_id: traceOf(interaction).trace_id };
      const fields = { interaction_id: id, chat_id, epoch, ...trace };
      await withinTenant(tenant_id, () =>
        withLogFields(fields, async () => {
          const run = await this.prepare(acquired, slot);
          if (run) await this.execute(run, { acquired, starting });
        }),
      );
    } catch (error) {
      // The sweep finds it again.
      this.services.reports.stopped({ id }, error);
    } finally {
      this.starting.delete(id);
      this.quarantine.release(id);
    }
  }

  /** Undefined: another process runs it, or it has ended. */
  private async acquire(id: string, starting: Starting): Promise<Acquired | undefined> {
    const { acquired } = starting;
    starting.acquired = undefined;
    if (acquired?.lease.isFresh) return acquired;
    await this.services.spill.flush(id);
    const leased_at = this.services.clock.boottime();
    const never_begun = this.leaseInDoubt.has(id);
    const terms = { ...this.leases.terms, never_begun, trial: this.quarantine.trialOf(id) };
    this.leaseInDoubt.add(id);
    const row = await this.services.leases.acquireLease(id, terms);
    if (!row) this.leaseInDoubt.delete(id);
    else if (row.lost_owner !== null)
      this.services.telemetry.emit('run_taken_over', { interaction: row.interaction });
    return row && { row, lease: this.leases.newLease(leased_at) };
  }

  /** Undefined: there is nothing to run, and the lease is released. */
  private async prepare(acquired: Acquired, slot: RunSlot): Promise<Run | undefined> {
    const { row, lease, started } = acquired;
    const { id } = row.interaction;
    try {
      if (row.fault) throw row.fault;
      // loading it may be the cause of the crashes
      if (row.alone_losses > this.services.config.crashLoopLimit)
        throw new CrashLoop(row.alone_losses);
      const input = await this.loader.load(row, started);
      if (!this.isStopping) {
        this.leaseInDoubt.delete(id);
        this.reportResume(input);
        const { waiting, quarantine } = this;
        return new Run(this.services, input, { lease, slot, waiting, quarantine });
      }
    } catch (error) {
      if (!isTransient(error)) {
        this.leaseInDoubt.delete(id);
        await this.giveUp(row, error);
        return undefined;
      }
      await this.release(acquired);
      throw error;
    }
    await this.release(acquired);
    return undefined;
  }

  private async execute(
    run: Run,
    { acquired, starting }: { readonly acquired: Acquired; readonly starting: Starting },
  ): Promise<void> {
    const leased = { run, lease: acquired.lease };
    this.leases.hold(leased);
    this.starting.delete(run.interactionId);
    if (starting.isWoken) void run.signals.wake();
    try {
      await run.execute();
    } finally {
      this.leases.drop(leased);
      if (run.holdsLease && !this.isStopping) this.loader.noteStarved(run.interactionId);
      if (run.holdsLease) await this.release(acquired);
      this.noteEnd(run.interaction);
    }
  }

  private reportResume({ interaction, records, resumed }: RunInput): void {
    if (resumed === undefined || records.length === 0) return;
    this.services.reports.resumed(interaction, resumed);
  }

  private async giveUp({ interaction }: Lease, cause: unknown): Promise<void> {
    const error = cause instanceof CrashLoop ? cause : unreadable(cause);
    try {
      await giveUp(this.services, interaction, { error });
    } finally {
      this.noteEnd(interaction);
    }
  }

  private noteEnd(interaction: InteractionRow): void {
    const { epoch } = interaction;
    this.services.telemetry.emit('run_ended', { interaction, epoch });
  }

  private async release({ row: { interaction } }: Acquired): Promise<void> {
    const { id, epoch } = interaction;
    this.services.bus.close(id, epoch);
    try {
      await this.services.spill.flush(id); // only the owner of the lease can save it
      await this.services.leases.releaseLease(id, epoch);
      if (this.isStopping) this.queue.enqueue(id); // for other processes
    } catch {
      // The lease expires.
    }
  }
}
