import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.js';
import { freePort } from '../server/free-port.js';

const START_MS = 30_000;
const TRIES = 5;

/**
 * Why there can be no Redis of the test's own, or undefined. With REQUIRE_SERVICES=1 that is an
 * error.
 */
export function findRedisServerFault(): string | undefined {
  if (findBinary()) return undefined;
  const fault = 'no redis-server on the PATH';
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(fault);
  process.stderr.write(`Skipped: ${fault}\n`);
  return fault;
}

/** A Redis server of a test's own, which forgets everything when it is stopped. */
export class RedisServer {
  private server: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  static async start(): Promise<RedisServer> {
    for (let tries = 0; tries < TRIES; tries++) {
      const redis = new RedisServer(await freePort());
      if (await redis.answersOnceStarted()) return redis; // else somebody else has taken the port meanwhile
    }
    throw new Error(`redis-server ended ${TRIES} times when it was started.`);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    if (!(await this.answersOnceStarted())) throw new Error(`Port ${this.port} is taken.`);
  }

  /** False: it has ended, which it does when its port is taken. */
  private async answersOnceStarted(): Promise<boolean> {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.server = spawn(findBinary()!, ['--port', String(this.port), ...settings], {
      cwd: '/',
      stdio: 'ignore',
    });
    await eventually(async () => this.hasEnded || (await this.answers()), START_MS);
    return !this.hasEnded;
  }

  /** As if it had crashed. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.server!, 'exit');
    this.server!.kill('SIGKILL');
    await ended;
  }

  /** Names of all that it holds. */
  keys(): Promise<string[]> {
    return this.ask((redis) => redis.keys('*'));
  }

  /** All that it holds, as text. */
  dump(): Promise<string> {
    return this.ask(async (redis) => {
      const names = await redis.keys('*');
      const values = await Promise.all(names.map((name) => readValue(redis, name)));
      return names.map((name, n) => `${name} ${JSON.stringify(values[n])}`).join('\n');
    });
  }

  /** Names of all that anything listens to. */
  channels(): Promise<string[]> {
    return this.ask(async (redis) => (await redis.pubsub('CHANNELS')) as string[]);
  }

  private get hasEnded(): boolean {
    return this.server!.exitCode !== null || this.server!.signalCode !== null;
  }

  /** Whether it is this one that answers. */
  private answers(): Promise<boolean> {
    return this.ask((redis) => redis.info('server')).then(
      (info) => info.includes(`process_id:${this.server!.pid}\r`),
      () => false,
    );
  }

  private async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.port, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {}); // `connect` rejects with it
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }
}

async function readValue(redis: Redis, name: string): Promise<unknown> {
  switch (await redis.type(name)) {
    case 'string':
      return redis.get(name);
    case 'hash':
      return redis.hgetall(name);
    case 'list':
      return redis.lrange(name, 0, -1);
    case 'set':
      return redis.smembers(name);
    case 'zset':
      return redis.zrange(name, 0, -1);
    case 'stream':
      return redis.xrange(name, '-', '+');
    default:
      return undefined; // it has expired
  }
}

function findBinary(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'redis-server')).find((path) => existsSync(path));
}
