import type { OnApplicationShutdown } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.js';
import { doneWithin } from '../../kernel/async/promises.js';
import { connectRedis, retryDelay, whenConnected } from '../../redis/connect-redis.js';
import { Refusals } from '../../redis/redis-faults.js';
import { LocalRunQueue } from '../local/local-run-queue.js';
import { RunQueue } from '../run-queue.js';
import type { EnqueueOptions, RunHandler, RunSlot } from '../run-queue.js';
import { JobFeed } from './job-feed.js';
import type { FedJob, RunJob } from './job-feed.js';

export interface BullRunQueueOptions {
  readonly url: string;
  /** Prefix of its keys in Redis, without a colon at the end. */
  readonly prefix: string;
  /** Maximum number of working runs in this process. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly lock_ms: number;
  readonly report: (problem: string) => void;
}

const NAME = 'runs';
/**
 * Timeout for Redis, which may be unavailable, to take back jobs that were not begun, in
 * milliseconds.
 */
const RELEASE_TIMEOUT_MS = 1_000;
/** Jobs without a priority, the begun runs, come before all that have one. */
const NEW_RUN_PRIORITY = 1;

/**
 * The queue of many processes. BullMQ hands each interaction to one of them, begun runs first; jobs
 * and interactions with local affinity share the process's slots. The lease decides who runs: the
 * queue only makes it soon. While Redis is unavailable, a process that runs anything runs the
 * interactions that it enqueues itself.
 */
export class BullRunQueue extends RunQueue implements OnApplicationShutdown {
  private readonly local: LocalRunQueue;
  private readonly redis: Redis;
  private readonly jobs: Queue<RunJob>;
  /** Undefined in a process that runs nothing. */
  private feed: { readonly redis: Redis; readonly jobs: JobFeed } | undefined;
  private isClosed = false;
  private readonly refusals: Refusals;
  /** Jobs whose interaction doesn't run here yet. */
  private readonly waiting = new Map<string, FedJob[]>();

  /** Resolves when Redis is connected, or after a limit: it goes on trying. */
  static async open(options: BullRunQueueOptions): Promise<BullRunQueue> {
    const queue = new BullRunQueue(options);
    await whenConnected(queue.redis);
    return queue;
  }

  private constructor(private readonly options: BullRunQueueOptions) {
    super();
    this.local = new LocalRunQueue(options.concurrency, options.clock);
    this.refusals = new Refusals((message) =>
      options.report(`Redis rejected a queue command: ${message}`),
    );
    this.redis = connectRedis(options.url, ignore);
    this.redis.on('ready', () => this.refusals.clear());
    this.jobs = new Queue<RunJob>(NAME, {
      connection: this.redis,
      prefix: options.prefix,
      streams: { events: { maxLen: 0 } },
      skipVersionCheck: true, // the live bus logs it
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    this.jobs.on('error', (error) => this.refusals.note(error));
  }

  get isImmediate(): boolean {
    return this.local.isImmediate;
  }

  get refusedSince(): Date | undefined {
    return this.refusals.since;
  }

  get queued(): number {
    return this.local.queued;
  }

  /** Only this process's while Redis is unavailable. */
  async countWaiting(): Promise<number> {
    if (this.redis.status !== 'ready') return this.queued;
    const shared = await this.jobs.getJobCountByTypes('waiting', 'prioritized').catch(() => 0);
    return shared + this.queued;
  }

  /** By the wall clocks of the processes that enqueued them. */
  async longestWait(): Promise<number> {
    const local = await this.local.longestWait();
    if (this.redis.status !== 'ready') return local;
    const oldest = await Promise.all(
      (['waiting', 'prioritized'] as const).map((state) =>
        this.jobs.getJobs(state, 0, 0, true).catch(() => []),
      ),
    );
    const now = Date.now();
    const waits = oldest.flat().flatMap((job) => (job ? [now - job.timestamp] : []));
    return Math.max(local, ...waits);
  }

  start(handler: RunHandler): void {
    this.local.start((id, slot) => this.run(id, { slot, handler }));
    const redis = connectRedis(this.options.url, ignore, {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined, // it blocks for seconds
      // also for BullMQ's duplicate of it
      retryStrategy: (times) => (this.isClosed ? null : retryDelay(times)),
    });
    const { prefix, lock_ms } = this.options;
    const jobs = new JobFeed({
      redis,
      name: NAME,
      prefix,
      lock_ms,
      room: () => this.local.room(),
      accept: (job) => this.accept(job),
      onError: (error) => this.refusals.note(error),
    });
    this.feed = { redis, jobs };
  }

  enqueue(interactionId: string, options: EnqueueOptions = {}): void {
    if (options.affinity === 'local' || this.redis.status !== 'ready')
      return this.enqueueLocally(interactionId, options);
    this.add(interactionId, options).catch((error: Error) => {
      this.refusals.note(error);
      this.enqueueLocally(interactionId, options);
    });
  }

  async stop(): Promise<void> {
    this.feed?.jobs.stop();
    const given = [...this.waiting.values()].flat();
    this.waiting.clear();
    const givenBack = Promise.all(given.map((job) => job.giveBack()));
    await Promise.all([this.local.stop(), doneWithin(givenBack, RELEASE_TIMEOUT_MS)]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.feed?.jobs.close();
    this.feed?.redis.disconnect();
    this.redis.disconnect();
  }

  /** Adds one job per interaction, and one more if it is enqueued while it runs. */
  private async add(interactionId: string, { priority }: EnqueueOptions): Promise<void> {
    await this.jobs.add(
      'run',
      { interaction_id: interactionId },
      {
        deduplication: { id: interactionId, keepLastIfActive: true },
        ...(priority === 'new' && { priority: NEW_RUN_PRIORITY }),
      },
    );
  }

  /** In a process that runs nothing, it is left to the others' sweep. */
  private enqueueLocally(interactionId: string, options: EnqueueOptions): void {
    if (this.feed) this.local.enqueue(interactionId, options);
  }

  private accept(job: FedJob): boolean {
    if (!this.local.isImmediate) return false;
    const others = this.waiting.get(job.interaction_id) ?? [];
    this.waiting.set(job.interaction_id, [...others, job]);
    this.local.enqueue(job.interaction_id);
    return true;
  }

  private async run(
    id: string,
    { slot, handler }: { slot: RunSlot; handler: RunHandler },
  ): Promise<void> {
    const jobs = this.waiting.get(id) ?? [];
    this.waiting.delete(id);
    await handler(id, slot);
    for (const job of jobs) void job.finish();
  }
}

/**
 * The live bus and the health checks report it; the sweep finds interactions that were not queued.
 */
function ignore(): void {}
