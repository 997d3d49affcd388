import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AdmissionGate } from '../../http/admission-gate.js';
import { CrashLoop, MAX_LOSSES } from './crash-loop.js';
import { giveUp, isPassing, unreadable } from './give-up.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { LeasedRun } from './lease-keeper.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow, Lease } from '../../persistence/rows/store-rows.js';
import { RunQueue } from '../../queue/run-queue.js';
import type { Slot } from '../../queue/run-queue.js';
import { Run } from '../run.js';
import type { RunInput } from '../run-input.js';
import { RunServices } from '../run-services.js';
import { RunLoader } from './run-loader.js';
import { reportStop } from '../run-reports.js';
import { CrashQuarantine } from './crash-quarantine.js';
import { WaitingRuns } from './waiting-runs.js';

/** What this process holds the lease of, and has not begun to run. */
interface Taken {
  readonly lease: Lease;
  /** All that is in its log, if this process has just started it. */
  readonly first?: LogRecord;
  /** Monotonic milliseconds, from before the lease was asked for. */
  readonly leased_at: number;
}

/** Runs the interactions that the queue hands to this process. */
@Injectable()
export class Runner implements OnApplicationBootstrap, OnModuleDestroy {
  /** Started with their lease by this process, not handed out yet. */
  private readonly claimed = new Map<string, Taken>();
  /** What is being taken up; true once its row was changed meanwhile. */
  private readonly takingUp = new Map<string, boolean>();
  /** What this process may hold the lease of without knowing, or could not let go of: the store was away when it was to be taken up. */
  private readonly neverBegun = new Set<string>();
  private readonly waiting: WaitingRuns;
  private readonly loader: RunLoader;
  private stopping = false;
  private unsubscribe: () => void = () => {};

  constructor(
    private readonly deps: RunServices,
    private readonly queue: RunQueue,
    private readonly leases: LeaseKeeper,
    private readonly suspects: CrashQuarantine,
    private readonly intake: AdmissionGate,
  ) {
    this.loader = new RunLoader(deps);
    this.waiting = new WaitingRuns(deps.config.maxConcurrentRuns);
  }

  onApplicationBootstrap(): void {
    if (this.deps.config.role === 'api') return;
    this.unsubscribe = this.deps.bus.onWake((id) => this.wake(id));
    this.queue.start((id, slot) => this.run(id, slot));
  }

  /** While the server still answers, and leases are still renewed. */
  async onModuleDestroy(): Promise<void> {
    this.intake.close();
    this.unsubscribe();
    this.stopping = true;
    const stopped = this.queue.stop();
    const grace_ms = this.deps.config.shutdownGraceMs / 2;
    for (const { run } of this.leases.held()) void run.shutDown(grace_ms);
    await Promise.all([stopped, ...[...this.claimed.values()].map((taken) => this.release(taken))]);
  }

  /** The runs of this process: at work, in memory but waiting for people, and those whose turn has not come. */
  get counts(): { working: number; waiting: number; queued: number } {
    const waiting = this.waiting.count;
    return { working: this.leases.held().length - waiting, waiting, queued: this.queue.queued };
  }

  /** How many wait for any process that has room, as far as this one knows. */
  countWaiting(): Promise<number> {
    return this.queue.countWaiting();
  }

  /** Runs an interaction that this process has just created, lease included; `leased_at` is from before that. */
  runClaimed(interaction: InteractionRow, first: LogRecord, leased_at: number): void {
    const lease: Lease = { interaction, lost_owner: null, parked: false, losses: 0 };
    const taken = { lease, first, leased_at };
    if (this.stopping) return void this.release(taken);
    this.claimed.set(interaction.id, taken);
    this.takingUp.set(interaction.id, false);
    this.queue.enqueue(interaction.id, { as: 'new', to: 'here' });
  }

  private wake(id: string): void {
    if (this.takingUp.has(id)) this.takingUp.set(id, true);
    else void this.leases.look(id);
  }

  private async run(id: string, slot: Slot): Promise<void> {
    if (!this.takingUp.has(id)) this.takingUp.set(id, false);
    try {
      const taken = await this.take(id);
      if (taken) await this.execute(taken, slot);
    } catch (error) {
      // The sweep finds it again.
      reportStop(this.deps.logger, `${id}: taking it up`, error);
    } finally {
      this.takingUp.delete(id);
      this.suspects.isWell(id);
    }
  }

  private async execute(taken: Taken, slot: Slot): Promise<void> {
    const held: LeasedRun = { run: undefined as never, renewed_at: taken.leased_at };
    const run = await this.prepare(taken, { held, slot });
    if (!run) return;
    this.leases.hold(Object.assign(held, { run }));
    if (this.takingUp.get(run.interactionId)) void this.leases.look(run.interactionId);
    this.takingUp.delete(run.interactionId);
    try {
      await run.execute();
    } finally {
      this.leases.drop(held);
      if (run.holdsLease) await this.release(taken);
      else this.runNext(taken.lease.interaction.chat_id);
    }
  }

  /** Undefined: there is nothing to run, and the lease is let go of. */
  private async prepare(
    taken: Taken,
    { held, slot }: { held: LeasedRun; slot: Slot },
  ): Promise<Run | undefined> {
    const { interaction, losses } = taken.lease;
    const holdsLease = (): boolean => this.leases.isFresh(held);
    const onWell = (): void => this.suspects.isWell(interaction.id);
    try {
      if (losses > MAX_LOSSES) throw new CrashLoop(losses); // to read it may be what crashes
      const start = await this.loader.load(taken.lease, taken.first);
      if (!this.stopping) {
        this.neverBegun.delete(interaction.id);
        this.reportResume(start);
        return new Run(this.deps, start, { holdsLease, slot, waiting: this.waiting, onWell });
      }
    } catch (error) {
      if (!isPassing(error)) {
        this.neverBegun.delete(interaction.id);
        return await this.giveUp(taken, error);
      }
      await this.release(taken);
      throw error;
    }
    await this.release(taken);
    return undefined;
  }

  private reportResume({ interaction, records, resumed }: RunInput): void {
    if (resumed === undefined || records.length === 0) return;
    const { id, epoch } = interaction;
    this.deps.logger.log(`${id}: taken up again, run ${epoch}: ${resumed}`);
  }

  private async giveUp({ lease }: Taken, cause: unknown): Promise<undefined> {
    const { interaction } = lease;
    const error = cause instanceof CrashLoop ? cause : unreadable(cause);
    this.deps.logger.error(error, `${interaction.id}: is given up`);
    await giveUp(this.deps, interaction, error);
    this.runNext(interaction.chat_id);
  }

  /** What waited for this interaction to end may run now: the same append has promoted it. */
  private runNext(chatId: string): void {
    this.deps.interactions.findActiveInteraction(chatId).then(
      (next) => next && this.queue.enqueue(next.id, { as: 'new' }),
      () => {}, // the sweep finds it
    );
  }

  private async release({ lease: { interaction } }: Taken): Promise<void> {
    const { id, epoch } = interaction;
    try {
      await this.deps.spill.settle(id); // nobody else can write it once the lease is gone
      await this.deps.leases.releaseLease(id, epoch);
      if (this.stopping) this.queue.enqueue(id); // others may go on with it at once
    } catch {
      // It lapses by itself then.
    }
  }

  private async take(id: string): Promise<Taken | undefined> {
    const claimed = this.claimed.get(id);
    this.claimed.delete(id);
    if (claimed && this.leases.isFresh({ renewed_at: claimed.leased_at })) return claimed;
    await this.deps.spill.settle(id);
    const leased_at = this.deps.clock.monotonic();
    const terms = { ...this.leases.terms, never_begun: this.neverBegun.has(id) };
    this.neverBegun.add(id);
    const lease = await this.deps.leases.acquireLease(id, terms);
    if (!lease) this.neverBegun.delete(id);
    return lease && { lease, leased_at };
  }
}
