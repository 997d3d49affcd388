import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Worker } from 'bullmq';
import type { Job } from 'bullmq';

export interface RunJob {
  readonly interaction_id: string;
}

export interface JobFeedOptions {
  readonly redis: Redis;
  readonly name: string;
  readonly prefix: string;
  /** Time that a job stays with a process that has died, in milliseconds. */
  readonly lock_ms: number;
  /** Resolves when there is room for one more. */
  readonly room: () => Promise<void>;
  /** Takes a job that was fetched. False: there is no room any more, and it is given back. */
  readonly accept: (job: FedJob) => boolean;
  readonly onError: (error: Error) => void;
}

/** A job of this process; it ends with `finish` or `giveBack`, which never reject. */
export interface FedJob {
  readonly interaction_id: string;
  finish(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * Number of lock renewals and checks for stalled jobs per `lock_ms`: a job stalls after two missed
 * renewals.
 */
const CHECKS_PER_LOCK = 3;
/** Pause after an error. */
const PAUSE_MS = 500;
/** Timeout of `close` for Redis, which may be unavailable. */
const CLOSE_MS = 1_000;

/**
 * Fetches jobs while there is room, and renews their locks. A BullMQ worker with a processor has a
 * fixed concurrency; this one fetches nothing while other runs have the slots of the process, and
 * more while runs only wait.
 */
export class JobFeed {
  private readonly worker: Worker<RunJob>;
  private readonly held = new Map<string, Job<RunJob>>();
  private readonly ending = new Set<Promise<void>>();
  private readonly renewal: NodeJS.Timeout;
  private isStopping = false;
  private fetched = 0;

  constructor(private readonly options: JobFeedOptions) {
    const { name, prefix, redis, lock_ms, onError } = options;
    const check_ms = Math.ceil(lock_ms / CHECKS_PER_LOCK); // Redis takes no fractions
    this.worker = new Worker<RunJob>(name, undefined, {
      connection: redis,
      prefix,
      autorun: false,
      lockDuration: lock_ms,
      stalledInterval: check_ms,
      maxStalledCount: 0,
      skipVersionCheck: true, // the live bus logs it
    });
    this.worker.on('error', onError);
    void this.worker.startStalledCheckTimer();
    this.renewal = setInterval(() => void this.renew(), check_ms).unref();
    void this.fetchAll();
  }

  /** Fetches nothing more. */
  stop(): void {
    this.isStopping = true;
  }

  /** To be called after all jobs have ended. */
  async close(): Promise<void> {
    this.stop();
    clearInterval(this.renewal);
    const closed = Promise.all(this.ending).then(() => this.worker.close(true));
    await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
  }

  private async fetchAll(): Promise<void> {
    while (!this.isStopping) {
      await this.options.room();
      if (this.isStopping) return;
      try {
        const job = await this.worker.getNextJob(`${this.worker.id}:${this.fetched++}`);
        if (job) await this.hand(job);
      } catch (error) {
        this.options.onError(error as Error);
        await delay(PAUSE_MS, undefined, { ref: false });
      }
    }
  }

  private async hand(job: Job<RunJob>): Promise<void> {
    this.held.set(job.id!, job);
    const data: unknown = job.data;
    const fed: FedJob = {
      interaction_id: isRunJob(data) ? data.interaction_id : '',
      finish: () => this.end(job, () => job.moveToCompleted(null, job.token!, false)),
      giveBack: () => this.end(job, () => job.moveToWait(job.token)),
    };
    if (isLost(job) || !isRunJob(data)) await fed.finish();
    else if (this.isStopping || !this.options.accept(fed)) await fed.giveBack();
  }

  private async end(job: Job<RunJob>, move: () => Promise<unknown>): Promise<void> {
    this.held.delete(job.id!);
    const ended = move().then(
      () => {},
      (error: Error) => this.options.onError(error), // it has stalled: another process has it
    );
    this.ending.add(ended);
    await ended;
    this.ending.delete(ended);
  }

  private async renew(): Promise<void> {
    const jobs = [...this.held.values()];
    if (jobs.length === 0) return;
    const ids = jobs.map(({ id }) => id!);
    const tokens = jobs.map(({ token }) => token!);
    await this.worker
      .extendJobLocks(ids, tokens, this.options.lock_ms)
      .catch((error: Error) => this.options.onError(error));
  }
}

/** Redis may hold anything. */
function isRunJob(data: unknown): data is RunJob {
  return typeof (data as Partial<RunJob> | null)?.interaction_id === 'string';
}

/**
 * Its process died. The sweep finds its interaction by the lease: it knows how often that was lost,
 * and quarantines one that may have crashed the process.
 */
function isLost({ deferredFailure, stalledCounter }: Job<RunJob>): boolean {
  return deferredFailure !== undefined || stalledCounter > 0;
}
