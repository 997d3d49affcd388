import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';

/**
 * What the queue keeps of itself, and of no interaction; and what was said in chats, which goes
 * with its time.
 */
const BOOKKEEPING = /^parley:(runs:(meta|id|pc|marker|stalled-check|events|stalled)$|chat:)/;
const POLL_MS = 250;

/** The database of Redis that the processes of a cluster share; it is emptied. */
export class SharedRedis {
  #redis;

  /** Throws when there is none, or somebody uses it. */
  static async open(url) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {}); // `connect` rejects with it
    await redis.connect();
    const shared = new SharedRedis(url, redis);
    await shared.#claim();
    await shared.flush();
    return shared;
  }

  constructor(url, redis) {
    this.url = url;
    this.#redis = redis;
  }

  /** Forgets everything. */
  async flush() {
    await this.#redis.flushdb();
  }

  /**
   * What is kept of interactions after `limit_ms`, `{ key, ttl_ms }` each, or nothing as soon as
   * there is nothing: jobs of a process that was killed are in its name until their lock is over.
   */
  async leftovers(limit_ms) {
    const deadline = performance.now() + limit_ms;
    for (;;) {
      const keys = (await this.#redis.keys('*')).filter((key) => !BOOKKEEPING.test(key));
      if (keys.length === 0 || performance.now() > deadline)
        return Promise.all(keys.map(async (key) => ({ key, ttl_ms: await this.#redis.pttl(key) })));
      await delay(POLL_MS);
    }
  }

  async close() {
    await this.flush();
    this.#redis.disconnect();
  }

  /** Whoever else uses it would lose what it has, and be heard here. */
  async #claim() {
    const clients = (await this.#redis.client('LIST')).trim().split('\n');
    const [database] = / db=\d+ /.exec(await this.#redis.client('INFO'));
    const others = clients.filter((client) => client.includes(database)).length - 1;
    if (others === 0) return;
    this.#redis.disconnect();
    throw new Error(`${others} others use ${this.url}: name another database with --redis`);
  }
}
