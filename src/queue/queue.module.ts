import { Logger, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { LocalRunQueue } from './local/local-run-queue.js';
import { RunQueue } from './run-queue.js';

/** A busy process must not lose its jobs. */
const MIN_LOCK_MS = 5_000;

@Module({
  providers: [{ provide: RunQueue, inject: [Config, Clock], useFactory: openRunQueue }],
  exports: [RunQueue],
})
export class QueueModule {}

/** BullMQ is loaded with `REDIS_URL` only. */
async function openRunQueue(config: Config, clock: Clock): Promise<RunQueue> {
  const { redisUrl, maxConcurrentRuns: concurrency, leaseTtlMs } = config;
  if (!redisUrl) return new LocalRunQueue(concurrency, clock);
  const { BullRunQueue } = await import('./bullmq/bull-run-queue.js');
  const { REDIS_PREFIX } = await import('../redis/connect-redis.js');
  const logger = new Logger(RunQueue.name);
  return BullRunQueue.open({
    url: redisUrl.reveal(),
    prefix: REDIS_PREFIX,
    concurrency,
    clock,
    lock_ms: Math.max(leaseTtlMs, MIN_LOCK_MS),
    report: (problem) => logger.warn(problem),
  });
}
