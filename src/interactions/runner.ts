import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { LeaseKeeper } from './lease-keeper.js';
import type { HeldRun } from './lease-keeper.js';
import type { LogRecord } from '../log/log-record.js';
import type { InteractionRow, Lease } from '../log/store-rows.js';
import { RunQueue } from '../queue/run-queue.js';
import type { Slot } from '../queue/run-queue.js';
import { Run } from './run.js';
import type { RunStart } from './run.js';
import { RunDeps } from './run-deps.js';
import { reportStop } from './run-reports.js';
import { WaitingRuns } from './waiting-runs.js';

/** What this process holds the lease of, and has not begun to run. */
interface Taken {
  readonly start: RunStart;
  /** Monotonic milliseconds, from before the lease was asked for. */
  readonly leased_at: number;
}

const PAGE = 500;

/** Runs the interactions that the queue hands to this process. */
@Injectable()
export class Runner implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Started with their lease by this process, not handed out yet. */
  private readonly claimed = new Map<string, Taken>();
  /** What is being taken up; true once its row was changed meanwhile. */
  private readonly takingUp = new Map<string, boolean>();
  private readonly waiting: WaitingRuns;
  private stopping = false;
  private unsubscribe: () => void = () => {};

  constructor(
    private readonly deps: RunDeps,
    private readonly queue: RunQueue,
    private readonly leases: LeaseKeeper,
  ) {
    this.waiting = new WaitingRuns(deps.config.maxConcurrentRuns);
  }

  onApplicationBootstrap(): void {
    this.unsubscribe = this.deps.bus.onWake((id) => this.wake(id));
    this.queue.start((id, slot) => this.run(id, slot));
  }

  async onApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    this.stopping = true;
    const stopped = this.queue.stop();
    for (const { run } of this.leases.held()) void run.shutDown();
    await Promise.all([stopped, ...[...this.claimed.values()].map((taken) => this.release(taken))]);
  }

  /** Runs an interaction that this process has just created, lease included; `leased_at` is from before that. */
  runClaimed(interaction: InteractionRow, first: LogRecord, leased_at: number): void {
    const start: RunStart = { interaction, records: [first], before: [] };
    this.claimed.set(interaction.id, { start, leased_at });
    this.takingUp.set(interaction.id, false);
    this.queue.enqueue(interaction.id, 'new');
  }

  private wake(id: string): void {
    if (this.takingUp.has(id)) this.takingUp.set(id, true);
    else void this.leases.look(id);
  }

  private async run(id: string, slot: Slot): Promise<void> {
    if (!this.takingUp.has(id)) this.takingUp.set(id, false);
    try {
      const taken = await this.take(id);
      if (taken && this.stopping) await this.release(taken);
      else if (taken) await this.execute(taken, slot);
    } catch (error) {
      // The sweep finds it again when its lease has lapsed.
      reportStop(this.deps.logger, `${id}: taking it up`, error);
    } finally {
      this.takingUp.delete(id);
    }
  }

  private async execute({ start, leased_at }: Taken, slot: Slot): Promise<void> {
    const { id } = start.interaction;
    const held: HeldRun = { run: undefined as never, renewed_at: leased_at };
    const holdsLease = (): boolean => this.leases.isFresh(held);
    const run = new Run(this.deps, start, { holdsLease, slot, waiting: this.waiting });
    this.leases.hold(Object.assign(held, { run }));
    if (this.takingUp.get(id)) void this.leases.look(id);
    this.takingUp.delete(id);
    try {
      await run.execute();
    } finally {
      this.leases.drop(held);
      if (run.holdsLease) await this.release({ start, leased_at });
      else this.runNext(start.interaction.chat_id);
    }
  }

  /** What waited for this interaction to end may run now: the same append has promoted it. */
  private runNext(chatId: string): void {
    this.deps.store.findActiveInteraction(chatId).then(
      (next) => next && this.queue.enqueue(next.id, 'new'),
      () => {}, // the sweep finds it
    );
  }

  private async release({ start: { interaction } }: Taken): Promise<void> {
    const { id, epoch } = interaction;
    try {
      await this.deps.spill.settle(id); // nobody else can write it once the lease is gone
      await this.deps.store.releaseLease(id, epoch);
    } catch {
      // It lapses by itself then.
    }
  }

  private async take(id: string): Promise<Taken | undefined> {
    const claimed = this.claimed.get(id);
    this.claimed.delete(id);
    if (claimed && this.leases.isFresh({ renewed_at: claimed.leased_at })) {
      const before = await this.readBefore(claimed.start.interaction);
      return { ...claimed, start: { ...claimed.start, before } };
    }
    await this.deps.spill.settle(id);
    const leased_at = this.deps.clock.monotonic();
    const lease = await this.deps.store.acquireLease(id, this.leases.terms);
    return lease && { start: await this.load(lease), leased_at };
  }

  private async load({ interaction, lost_owner, parked }: Lease): Promise<RunStart> {
    const records = await this.readLog(interaction.id);
    const resumed = this.whyResumed(interaction.id, lost_owner);
    return {
      interaction,
      records,
      before: await this.readBefore(interaction),
      ...(interaction.epoch > 1 && !parked && { resumed }),
    };
  }

  private whyResumed(id: string, lostOwner: string | null): string {
    if (this.deps.spill.takeOutage(id)) return 'what it did could not be saved for a while';
    return lostOwner === null ? 'the server was stopped' : 'the process that ran it was lost';
  }

  private async readBefore(interaction: InteractionRow): Promise<RunStart['before']> {
    return interaction.parent_id === null ? [] : this.deps.store.getPreviousState(interaction.id);
  }

  private async readLog(id: string): Promise<LogRecord[]> {
    const log: LogRecord[] = [];
    for (;;) {
      const after = log.at(-1)?.seq ?? 0;
      const page = await this.deps.store.readRecords(id, { after, limit: PAGE });
      log.push(...page);
      if (page.length < PAGE) return log;
    }
  }
}
