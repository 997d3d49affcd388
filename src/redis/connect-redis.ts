import { setTimeout as delay } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { Connections } from './connections.js';
import { parseInfo } from './redis-faults.js';

/** Begins all keys and channels. */
export const REDIS_PREFIX = 'parley';

/** A Redis that hangs counts as unavailable. */
const COMMAND_TIMEOUT_MS = 3_000;
const MAX_RETRY_MS = 1_000;
/**
 * Interval of looks at the server, in milliseconds: one that disappears or becomes a replica closes
 * no connection.
 */
const CHECK_INTERVAL_MS = 5_000;
/** Timeout for Redis at startup, in milliseconds. */
const OPEN_MS = 3_000;

/**
 * A connection that reconnects for as long as the process lives. While it is lost, commands fail at
 * once; one that doesn't answer is replaced within some 12 s. One that finds a sign of a failover
 * replaces all to its URL.
 *
 * @param onError gets errors without the address and its password
 */
export function connectRedis(
  url: string,
  onError: (error: Error) => void,
  more: RedisOptions = {},
): Redis {
  const connections = Connections.to(url);
  const redis = new Redis(url, {
    ...connections.options(onError),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: retryDelay,
    ...more,
  });
  redis.on('error', onError);
  const look = async (): Promise<unknown> =>
    redis.mode === 'subscriber' // which takes no INFO
      ? redis.ping()
      : connections.judge(parseInfo(await redis.info('replication')));
  replaceWhenSilent(redis, { look, onError });
  return redis;
}

interface Watch {
  readonly look: () => Promise<unknown>;
  readonly onError: (error: Error) => void;
}

function replaceWhenSilent(redis: Redis, { look, onError }: Watch): void {
  let isSilent = false;
  const hear = (): void => void (isSilent = false);
  const ask = (): void => {
    if (redis.status !== 'ready' && redis.status !== 'connect') return;
    if (isSilent) {
      onError(new Error('it does not answer'));
      return redis.disconnect(true);
    }
    isSilent = true;
    if (redis.status === 'connect') return; // the client is asking whether it is ready
    look().then(hear, (error: Error) => error instanceof ReplyError && hear());
  };
  // reads first what arrived while the process was busy
  const timer = setInterval(() => setImmediate(ask), CHECK_INTERVAL_MS).unref();
  redis.on('ready', hear).on('end', () => clearInterval(timer));
}

/** The delay before the next attempt to connect, in milliseconds. */
export function retryDelay(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_MS);
}

/** Resolves when all are connected, or after a limit: they go on trying. */
export async function whenConnected(...connections: readonly Redis[]): Promise<void> {
  const connected = connections
    .filter(({ status }) => status !== 'ready')
    .map((redis) => new Promise<void>((resolve) => redis.once('ready', resolve)));
  await Promise.race([Promise.all(connected), delay(OPEN_MS, undefined, { ref: false })]);
}
