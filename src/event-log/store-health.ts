import { Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { AppError } from '../kernel/app-error.js';
import type { RecordStore } from '../persistence/record.store.js';
import type { RunQueue } from '../queue/run-queue.js';
import type { Spill } from './spill/spill.js';

export interface StoreHealthOptions {
  /** Name of the store for operators: `database`. */
  readonly name: string;
  /** Timeout for its answer, in milliseconds. */
  readonly timeout_ms: number;
}

export interface StoreHealthDeps {
  readonly records: RecordStore;
  readonly spill: Spill;
  /** Resumes interactions whose spilled records were saved. */
  readonly queue: Pick<RunQueue, 'enqueue'>;
  readonly clock: Clock;
}

/** A moment, by the calendar and by the monotonic clock. */
interface Since {
  readonly at: Date;
  readonly monotonic: number;
}

const INTERVAL_MS = 1000;
/** Between two times that the spilled records are tidied up, in milliseconds. */
const CLEANUP_INTERVAL_MS = 3_600_000;
/** Writes that fail for less than this are only retried. */
const MIN_OUTAGE_MS = 1000;
/**
 * Time after which a failed write is forgotten, in milliseconds: pending writes are retried more
 * often.
 */
const FAILURE_TTL_MS = 8000;

/** Knows whether the store can be reached and written, and flushes spilled records once it can. */
export class StoreHealth implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Store');
  private readonly rounds: Periodic;
  private tidiedAt = -Infinity;
  private unreachable: Since | undefined;
  private unwritable: (Since & { last: number }) | undefined;

  constructor(
    private readonly deps: StoreHealthDeps,
    private readonly options: StoreHealthOptions,
  ) {
    const run = (): Promise<void> => this.checkNow();
    this.rounds = new Periodic(deps.clock, { name: 'Store', every_ms: INTERVAL_MS, run });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.rounds.start();
    await this.check(); // flushes the spill of earlier processes before the first sweep
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
  }

  get name(): string {
    return this.options.name;
  }

  /** Time since which it does not answer; undefined while it does. */
  get unreachableSince(): Date | undefined {
    return this.unreachable?.at;
  }

  /** Time since which it can't be reached or written; undefined while it can. */
  get awaySince(): Date | undefined {
    if (this.unreachable) return this.unreachable.at;
    if (!this.unwritable) return undefined;
    const now = this.deps.clock.monotonic();
    const { at, monotonic, last } = this.unwritable;
    return now - monotonic >= MIN_OUTAGE_MS && now - last < FAILURE_TTL_MS ? at : undefined;
  }

  noteWritten(): void {
    this.unwritable = undefined;
  }

  noteNotWritten(error: unknown): void {
    if (error instanceof AppError && error.kind !== 'unavailable') return; // the batch is at fault
    const last = this.deps.clock.monotonic();
    const isNew = !this.unwritable || last - this.unwritable.last >= FAILURE_TTL_MS;
    this.unwritable = { ...(isNew ? this.now() : this.unwritable!), last };
  }

  /** Checks the store now; concurrent calls share one check. Never rejects. */
  check(): Promise<void> {
    return this.rounds.runNow();
  }

  private async checkNow(): Promise<void> {
    const fault = await this.findFault();
    this.note(fault);
    if (fault !== undefined) return;
    await this.tidySpill();
    await this.flushSpill();
  }

  private async tidySpill(): Promise<void> {
    const now = this.deps.clock.monotonic();
    if (now - this.tidiedAt < CLEANUP_INTERVAL_MS) return;
    this.tidiedAt = now;
    try {
      await this.deps.spill.tidy();
    } catch (error) {
      this.logger.warn({ message: 'DATA_DIR/spill could not be tidied up', err: error });
    }
  }

  /** An answer that arrived in time counts even if the process was too busy to read it. */
  private async findFault(): Promise<unknown> {
    const { timeout_ms } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Error>((resolve) => {
      const giveUp = (): void => resolve(new Error(`no answer within ${timeout_ms} ms`));
      timer = setTimeout(() => setImmediate(giveUp), timeout_ms);
    });
    try {
      return await Promise.race([this.deps.records.ping().then(() => undefined, toError), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private note(fault: unknown): void {
    const { name } = this.options;
    if (fault !== undefined && !this.unreachable) {
      this.unreachable = this.now();
      this.logger.warn({
        message: `The ${name} is unavailable. Runs wait for it, then stop, and resume when it is back.`,
        err: fault,
      });
    } else if (fault === undefined && this.unreachable) {
      const seconds = (this.deps.clock.monotonic() - this.unreachable.monotonic) / 1000;
      this.unreachable = undefined;
      this.logger.log(`The ${name} is back after ${seconds.toFixed(1)} s.`);
    }
  }

  private async flushSpill(): Promise<void> {
    for (const id of this.deps.spill.ids()) {
      try {
        if ((await this.deps.spill.flush(id)) === 'saved') this.noteWritten();
        this.deps.queue.enqueue(id);
      } catch (error) {
        this.noteNotWritten(error);
        if (error instanceof AppError) return; // unavailable again
        this.logger.error(error, `Could not read the spilled records of ${id}`);
      }
    }
  }

  private now(): Since {
    return { at: this.deps.clock.now(), monotonic: this.deps.clock.monotonic() };
  }
}

function toError(error: unknown): unknown {
  return error ?? new Error('no reason given');
}
