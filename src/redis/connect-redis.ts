import { setTimeout as delay } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import type { RedisOptions } from 'ioredis';

/** What everything in Redis begins with. Interactions of other servers have other ids. */
export const REDIS_PREFIX = 'parley';
/** One that hangs is as good as away. */
const COMMAND_TIMEOUT_MS = 3_000;
const MAX_RETRY_MS = 1_000;
/** How often a connection is asked whether it still is one: what it is, a quiet network doesn't tell. */
const PING_MS = 5_000;
/** How long a start waits for Redis. */
const OPEN_MS = 3_000;

/**
 * A connection that comes back by itself for as long as the process lives. While it is away commands fail at once; one that doesn't answer
 * any more is given up for a new one, within some 12 s.
 *
 * @param onError is told what went wrong; the address and its password are not in it
 */
export function connectRedis(
  url: string,
  onError: (error: Error) => void,
  more: RedisOptions = {},
): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: retryDelay,
    ...more,
  });
  redis.on('error', onError);
  replaceWhenSilent(redis, onError);
  return redis;
}

/** A server that hangs, or is gone without a word, closes nothing. */
function replaceWhenSilent(redis: Redis, onError: (error: Error) => void): void {
  let isSilent = false;
  const hear = (): void => void (isSilent = false);
  const ask = (): void => {
    if (redis.status !== 'ready' && redis.status !== 'connect') return;
    if (isSilent) {
      onError(new Error('it does not answer'));
      return redis.disconnect(true);
    }
    isSilent = true;
    if (redis.status === 'connect') return; // it has been asked whether it is ready
    redis.ping().then(hear, (error: Error) => error instanceof ReplyError && hear());
  };
  const timer = setInterval(() => setImmediate(ask), PING_MS).unref(); // what has come while the process was busy is read first
  redis.on('ready', hear).on('end', () => clearInterval(timer));
}

/** How long to wait before the next attempt to connect, in milliseconds, after so many. */
export function retryDelay(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_MS);
}

/** Resolves when all are connected, or that takes too long: they go on trying. */
export async function whenConnected(...connections: readonly Redis[]): Promise<void> {
  const connected = connections
    .filter(({ status }) => status !== 'ready')
    .map((redis) => new Promise<void>((resolve) => redis.once('ready', resolve)));
  await Promise.race([Promise.all(connected), delay(OPEN_MS, undefined, { ref: false })]);
}
