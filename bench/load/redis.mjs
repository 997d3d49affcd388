import { Redis } from 'ioredis';

const SERVER =
  process.env.BENCH_REDIS_URL ?? process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
/** It is flushed: nobody else's. */
const DATABASE = 7;

/** The database that is measured with. Throws when there is no Redis. */
export async function openRedis() {
  const url = new URL(SERVER);
  url.pathname = `/${DATABASE}`;
  const redis = new Redis(url.href, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {}); // whoever asked is told
  await redis.connect();
  return {
    url: url.href,
    client: redis,
    flush: () => redis.flushdb(),
    count: () => countRedis(redis),
    close: () => redis.disconnect(),
  };
}

/** For an end before the end. */
export async function flushRedis() {
  const redis = await openRedis();
  await redis.flush();
  redis.close();
}

/**
 * All commands of the server since its start, those that scripts gave included, its scripts, and
 * its CPU time in milliseconds.
 */
async function countRedis(redis) {
  const calls = await readInfo(redis, 'commandstats', /^cmdstat_(\S+):calls=(\d+)/gm);
  const cpu = await readInfo(redis, 'cpu', /^used_cpu_(sys|user):(\S+)/gm);
  return {
    redis_commands: sum(calls),
    redis_scripts: sum(calls.filter(([name]) => name.startsWith('eval'))),
    redis_cpu_ms: sum(cpu) * 1000,
  };
}

async function readInfo(redis, section, pattern) {
  const text = await redis.info(section);
  return [...text.matchAll(pattern)].map(([, name, number]) => [name, Number(number)]);
}

function sum(pairs) {
  return pairs.reduce((total, [, number]) => total + number, 0);
}
