import { Redis } from 'ioredis';

/**
 * The Redis server to test on. Servers that share a database of it share their work, so suites that
 * start some have one of their own.
 */
export function testRedisUrl(database = 0): string {
  const url = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379');
  if (database > 0) url.pathname = `/${database}`;
  return url.href;
}

/**
 * Why there is no Redis server to test on, or undefined if there is. With REQUIRE_SERVICES=1 its
 * absence is an error.
 */
export async function findRedisFault(): Promise<string | undefined> {
  const redis = new Redis(testRedisUrl(), { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {}); // `connect` rejects with it
  try {
    await redis.connect();
    return undefined;
  } catch (error) {
    const fault = `no Redis at TEST_REDIS_URL (${(error as Error).message})`;
    if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(fault, { cause: error });
    process.stderr.write(`Skipped: ${fault}\n`);
    return fault;
  } finally {
    redis.disconnect();
  }
}
