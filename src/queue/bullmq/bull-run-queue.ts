import type { OnApplicationShutdown } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { doneWithin } from '../../kernel/done-within.js';
import { connectRedis, retryDelay, whenConnected } from '../../redis/connect-redis.js';
import { Refusals } from '../../redis/refusals.js';
import { LocalRunQueue } from '../local/local-run-queue.js';
import { RunQueue } from '../run-queue.js';
import type { EnqueueOptions, RunHandler, Slot } from '../run-queue.js';
import { JobFeed } from './job-feed.js';
import type { FedJob, RunJob } from './job-feed.js';

export interface BullRunQueueOptions {
  readonly url: string;
  /** What everything of it in Redis begins with, without a colon at the end. */
  readonly prefix: string;
  /** How many runs of this process may be at work at once. */
  readonly concurrency: number;
  readonly lock_ms: number;
  readonly report: (problem: string) => void;
}

const NAME = 'runs';
/** How long a stop waits for Redis to take back what was not begun; it may be away. */
const GIVE_BACK_MS = 1_000;
/** Jobs without a priority come before all that have one. */
const AFTER_BEGUN = 1;

/**
 * The queue of many processes. BullMQ hands each interaction to one of them, the begun first; what this process is given, and what it finds
 * by itself, shares its slots. The lease decides who runs: the queue only makes it soon. While Redis is away, processes that run anything
 * run what they are asked for, and what they find.
 */
export class BullRunQueue extends RunQueue implements OnApplicationShutdown {
  private readonly local: LocalRunQueue;
  private readonly redis: Redis;
  private readonly jobs: Queue<RunJob>;
  /** Connected for as long as this process runs anything. */
  private feed: { readonly redis: Redis; readonly jobs: JobFeed } | undefined;
  private isClosed = false;
  private readonly refusals: Refusals;
  /** Jobs whose interaction has not begun to run here. */
  private readonly waiting = new Map<string, FedJob[]>();

  /** Resolves when Redis is connected, or that takes too long: it goes on trying. */
  static async open(options: BullRunQueueOptions): Promise<BullRunQueue> {
    const queue = new BullRunQueue(options);
    await whenConnected(queue.redis);
    return queue;
  }

  private constructor(private readonly options: BullRunQueueOptions) {
    super();
    this.local = new LocalRunQueue(options.concurrency);
    this.refusals = new Refusals((message) =>
      options.report(`Redis refuses what the queue asks it for: ${message}`),
    );
    this.redis = connectRedis(options.url, ignore);
    this.redis.on('ready', () => this.refusals.clear());
    this.jobs = new Queue<RunJob>(NAME, {
      connection: this.redis,
      prefix: options.prefix,
      streams: { events: { maxLen: 0 } },
      skipVersionCheck: true, // the live bus tells, in the log
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    this.jobs.on('error', (error) => this.refusals.note(error));
  }

  get isImmediate(): boolean {
    return this.local.isImmediate;
  }

  get queued(): number {
    return this.local.queued;
  }

  /** While Redis is away nothing is known of the others. */
  async countWaiting(): Promise<number> {
    if (this.redis.status !== 'ready') return this.queued;
    const shared = await this.jobs.getJobCountByTypes('waiting', 'prioritized').catch(() => 0);
    return shared + this.queued;
  }

  start(handler: RunHandler): void {
    this.local.start((id, slot) => this.run(id, { slot, handler }));
    const redis = connectRedis(this.options.url, ignore, {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined, // it blocks for seconds
      retryStrategy: (times) => (this.isClosed ? null : retryDelay(times)), // also of the copy that BullMQ makes
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

  enqueue(interactionId: string, handing: EnqueueOptions = {}): void {
    if (handing.to === 'here' || this.redis.status !== 'ready')
      return this.enqueueHere(interactionId, handing);
    this.add(interactionId, handing).catch((error: Error) => {
      this.refusals.note(error);
      this.enqueueHere(interactionId, handing);
    });
  }

  async stop(): Promise<void> {
    this.feed?.jobs.stop();
    const given = [...this.waiting.values()].flat();
    this.waiting.clear();
    const givenBack = Promise.all(given.map((job) => job.giveBack()));
    await Promise.all([this.local.stop(), doneWithin(givenBack, GIVE_BACK_MS)]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.feed?.jobs.close();
    this.feed?.redis.disconnect();
    this.redis.disconnect();
  }

  /** One job for each interaction; what comes while it runs makes one more. */
  private async add(interactionId: string, { as }: EnqueueOptions): Promise<void> {
    await this.jobs.add(
      'run',
      { interaction_id: interactionId },
      {
        deduplication: { id: interactionId, keepLastIfActive: true },
        ...(as === 'new' && { priority: AFTER_BEGUN }),
      },
    );
  }

  /** A process that runs nothing leaves it to the others' sweep. */
  private enqueueHere(interactionId: string, handing: EnqueueOptions): void {
    if (this.feed) this.local.enqueue(interactionId, handing);
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
    { slot, handler }: { slot: Slot; handler: RunHandler },
  ): Promise<void> {
    const jobs = this.waiting.get(id) ?? [];
    this.waiting.delete(id);
    await handler(id, slot);
    for (const job of jobs) void job.finish();
  }
}

/** The live bus tells that Redis is away, and health checks do; what was not queued is found by the sweep. */
function ignore(): void {}
