import type { Environment } from '../../../src/config/load-config.js';
import { RedisServer } from '../store/redis-server.js';

/**
 * Servers that share a Redis share their work, so each cluster has its own. A test that says
 * something of Redis or of roles means one process.
 */
export async function startRedisFor(env: Environment): Promise<RedisServer | undefined> {
  return env['REDIS_URL'] || env['ROLE'] ? undefined : RedisServer.start();
}

/**
 * What each process of a server under test is started with: one, or with a Redis of their own two
 * and two.
 */
export function environmentsOf(
  env: Environment,
  redis: RedisServer | undefined,
): {
  readonly apis: readonly Environment[];
  readonly workers: readonly Environment[];
} {
  if (!redis) return { apis: [env], workers: [] };
  const shared = {
    ...env,
    DATABASE_URL: 'postgres://is.opened/by-the-test',
    REDIS_URL: redis.url,
  };
  const two = (ROLE: string): Environment[] => [1, 2].map(() => ({ ...shared, ROLE }));
  return { apis: two('api'), workers: two('worker') };
}
