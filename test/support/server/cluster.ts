import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Environment } from '../../../src/config/load-config.js';
import type { ApiClient } from '../client/api-client.js';
import { ClusterMember } from './cluster-member.js';
import { createPostgresDatabase } from '../store/databases.js';
import { Effects } from '../tools/effects.js';
import { eventually } from '../eventually.js';
import { FakeOpenAi } from '../model/fake-openai.js';
import { RedisServer } from '../store/redis-server.js';
import { allTenants } from '../store/all-tenants.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const LEASE_MS = 3_000;
const SETTINGS: Environment = {
  MODEL: 'openai/fake',
  SYSTEM_PROMPT_FILE: '/dev/null',
  OPENAI_API_KEY: 'sk-a-key-that-nobody-may-see',
  LEASE_TTL_MS: String(LEASE_MS),
  HEARTBEAT_MS: '500',
  PARK_AFTER_MS: '200',
  SHUTDOWN_GRACE_MS: '30000', // whatever else the machine does
};

/** Two API processes and two workers with one Postgres, one Redis and one model. */
export class Cluster {
  private constructor(
    readonly fake: FakeOpenAi,
    readonly effects: Effects,
    readonly redis: RedisServer,
    readonly apis: readonly [ClusterMember, ClusterMember],
    readonly workers: readonly [ClusterMember, ClusterMember],
    private readonly database: pg.Pool,
    private readonly removeData: () => Promise<unknown>,
    private readonly env: Environment,
  ) {}

  static async start(env: Environment = {}): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-cluster-'));
    const [fake, redis, data] = await Promise.all([
      FakeOpenAi.start(),
      RedisServer.start(),
      createPostgresDatabase(),
    ]);
    const effects = new Effects(join(folder, 'effects'));
    const shared = {
      ...SETTINGS,
      OPENAI_BASE_URL: fake.baseUrl,
      CHAOS_EFFECTS: effects.path,
      WORKSPACE_DIR: join(folder, 'workspace'),
      FILES_DIR: join(folder, 'files'),
      DATABASE_URL: data.url,
      REDIS_URL: redis.url,
      ...env,
    };
    const start = (ROLE: string) => ClusterMember.start({ ...shared, ROLE });
    const first = await start('api'); // it makes the tables
    const [second, ...workers] = await Promise.all([
      start('api'),
      start('worker'),
      start('worker'),
    ]);
    const database = new pg.Pool({ connectionString: allTenants(data.url), max: 1 });
    const remove = () => Promise.all([data.drop(), rm(folder, { recursive: true, force: true })]);
    return new Cluster(fake, effects, redis, [first, second], workers, database, remove, shared);
  }

  /** A process beside the four, with other settings; the caller removes it. */
  startAnother(env: Environment): Promise<ClusterMember> {
    return ClusterMember.start({ ...this.env, ...env });
  }

  get members(): readonly ClusterMember[] {
    return [...this.apis, ...this.workers];
  }

  /** Of the first API process. */
  get api(): ApiClient {
    return this.apis[0].api;
  }

  /** The worker that has the lease; undefined: nobody has. */
  async workerOf({ id }: Pick<Interaction, 'id'>): Promise<ClusterMember | undefined> {
    const sql = 'SELECT owner FROM interactions WHERE id = $1';
    const { rows } = await this.database.query<{ owner: string | null }>(sql, [id]);
    return this.workers.find((worker) => worker.owns(rows[0]?.owner ?? null));
  }

  /** What Redis still holds that has to do with an interaction. */
  async leftovers(): Promise<string[]> {
    return (await this.redis.keys()).filter((key) => !BOOKKEEPING.test(key));
  }

  async untilReadiness(member: ClusterMember, status: 'ok' | 'degraded'): Promise<void> {
    const ready = () => member.api.get('/health/ready').catch(() => undefined);
    await eventually(async () => (await ready())?.body.status === status);
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
    await this.database.end();
    await Promise.all([this.fake.stop(), this.redis.stop(), this.removeData()]);
  }
}

/**
 * What BullMQ keeps of a queue, however little there is in it, and what was said in chats lately.
 */
const BOOKKEEPING = /^parley:(runs:(meta|id|pc|marker|stalled-check|events)$|chat:)/;
