import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

const START_MS = 30_000;

/** Why there can be no Redis of the test's own, or undefined. With REQUIRE_SERVICES=1 that is an error. */
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
    const redis = new RedisServer(await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.server = spawn(findBinary()!, ['--port', String(this.port), ...settings], {
      cwd: '/',
      stdio: 'ignore',
    });
    const answers = (): Promise<boolean> =>
      this.keys().then(
        () => true,
        () => false,
      );
    await eventually(answers, START_MS);
  }

  /** As if it had crashed. */
  async stop(): Promise<void> {
    const server = this.server!;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  /** Names of all that it holds. */
  async keys(): Promise<string[]> {
    const redis = new Redis(this.port, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {}); // `connect` rejects with it
    try {
      await redis.connect();
      return await redis.keys('*');
    } finally {
      redis.disconnect();
    }
  }
}

function findBinary(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'redis-server')).find((path) => existsSync(path));
}
