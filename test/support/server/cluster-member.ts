import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../src/config/load-config.js';
import type { ApiClient } from '../client/api-client.js';
import { builtServer } from './built-server.js';
import { ServerProcess } from './server-process.js';
import type { ProcessEnd } from './server-process.js';
import { openTcpProxy } from './tcp-proxy.js';
import type { TcpProxy } from './tcp-proxy.js';

/** What an address of a database without one means; Redis is the test's own. */
const POSTGRES_PORT = 5432;

/** One process of a cluster, which can be cut off from Postgres and from Redis by itself. */
export class ClusterMember {
  private process: ServerProcess | undefined;
  private client: ApiClient | undefined;

  private constructor(
    private readonly env: Environment,
    private readonly dataDir: string,
    readonly postgres: TcpProxy,
    readonly redis: TcpProxy,
  ) {}

  static async start(env: Environment): Promise<ClusterMember> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-member-'));
    const [DATABASE_URL, postgres] = await behindProxy(env['DATABASE_URL']!);
    const [REDIS_URL, redis] = await behindProxy(env['REDIS_URL']!);
    const own = { ...env, DATABASE_URL, REDIS_URL, DATA_DIR: dataDir };
    const member = new ClusterMember(own, dataDir, postgres, redis);
    try {
      await member.start();
    } catch (error) {
      await Promise.all([postgres.cut(), redis.cut(), rm(dataDir, { recursive: true })]);
      throw error;
    }
    return member;
  }

  /** Of the process that runs now. */
  get api(): ApiClient {
    return this.client!;
  }

  /** All that the process that runs now, or ran last, has printed. */
  get output(): string {
    return this.process!.output;
  }

  /** Whether a lease is that of the process that runs now, or ran last. */
  owns(owner: string | null): boolean {
    return owner?.split('/')[1] === String(this.process!.pid);
  }

  async start(): Promise<void> {
    this.process = await ServerProcess.start(this.env, [
      await builtServer('chaos/server/main.mjs'),
    ]);
    this.client = await this.process.api();
  }

  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<ProcessEnd> {
    return this.process!.kill(signal);
  }

  async remove(): Promise<void> {
    await this.kill('SIGKILL');
    await Promise.all([this.postgres.cut(), this.redis.cut()]);
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** The same address, by way of a proxy. */
async function behindProxy(address: string): Promise<[string, TcpProxy]> {
  const url = new URL(address);
  const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || POSTGRES_PORT) });
  Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
  return [url.href, proxy];
}
