import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { Environment } from '../../../src/config/load-config.js';
import type { FileCatalog } from '../../../src/files/file-catalog.js';
import type { AllStores } from '../../../src/storage/stores.js';
import { ApiClient } from '../client/api-client.js';
import { environmentsOf, startRedisFor } from './e2e-cluster.js';
import { FakeOpenAi } from '../model/fake-openai.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { RedisServer } from '../store/redis-server.js';
import { addLocalKey, takesKeys } from './test-auth.js';
import type { SuiteServer } from './suite-server.js';
import { TestApp } from './test-app.js';
import type { Class } from './test-app.js';

/** Must never come out of a server. */
export const KEY = 'sk-a-key-that-nobody-may-see';

export interface TestServerOptions {
  readonly env?: Environment;
  /** Agents and tools beside the server's own. */
  readonly modules?: readonly Type[];
  /** One that a server before this one has talked to. */
  readonly fake?: FakeOpenAi;
  /** The clock of its processes, unless it is that of the system. */
  readonly clock?: Clock;
  /** Where its processes log to, line by line. */
  readonly log?: string[];
  /** Two API processes and two workers instead of one server. */
  readonly isCluster?: boolean | undefined;
  /** The folder of uploaded files, which exists from the first on. */
  readonly files?: string;
}

/**
 * The whole server in this process, or a cluster of it, on a store that is open, with a fake model
 * API as its only model beside the demo.
 */
export class TestServer implements SuiteServer {
  private constructor(
    private readonly apps: readonly TestApp[],
    private readonly redis: RedisServer | undefined,
    readonly fake: FakeOpenAi,
    /** Speaks with each process that answers clients in turn. */
    readonly api: ApiClient,
    /** What was logged, line by line. */
    readonly log: readonly string[],
    /** The folder of uploaded files. */
    readonly files: string,
  ) {}

  static async start(stores: AllStores, options: TestServerOptions = {}): Promise<TestServer> {
    const fake = options.fake ?? (await FakeOpenAi.start());
    try {
      return await TestServer.startWith(fake, stores, options);
    } catch (error) {
      if (!options.fake) await fake.stop();
      throw error;
    }
  }

  private static async startWith(
    fake: FakeOpenAi,
    stores: AllStores,
    options: TestServerOptions,
  ): Promise<TestServer> {
    const { env = {}, modules = [], clock, log = [], isCluster = false } = options;
    const files = filesOf(stores, options.files);
    const basic = serverEnvironment(fake, { ...(takesKeys(env) && { AUTH: 'keys' }), ...env });
    const redis = isCluster ? await startRedisFor(basic) : undefined;
    const { apis, workers } = environmentsOf(basic, redis);
    const start = (each: Environment) =>
      TestApp.start(stores, { env: each, modules, log, clock, files });
    const answering = await Promise.all(apis.map(start));
    const working = await Promise.all(workers.map(start));
    const client = new ApiClient(...answering.map(({ url }) => url));
    const api = takesKeys(env) ? client.bearing(await addLocalKey(stores)) : client;
    return new TestServer([...answering, ...working], redis, fake, api, log, files);
  }

  /** A provider, of each of its processes. */
  getAll<T>(type: Class<T>): readonly T[] {
    return this.apps.map((app) => app.get(type));
  }

  /** Event streams that are open. */
  get streams(): number {
    return sum(this.apps.map((app) => app.streams));
  }

  /** Readers that an interaction has. */
  readersOf(interactionId: string): number {
    return sum(this.apps.map((app) => app.readersOf(interactionId)));
  }

  /** Whether it has no reader, and each process has heard so. */
  async isUnread(interactionId: string): Promise<boolean> {
    if (this.readersOf(interactionId) > 0) return false;
    const channels = (await this.redis?.channels()) ?? [];
    return !channels.some((channel) => channel.includes(interactionId));
  }

  /** All that the cluster's Redis holds, as text; empty without one. */
  async dumpRedis(): Promise<string> {
    return (await this.redis?.dump()) ?? '';
  }

  /** Whether a run of it is in memory. */
  runs(interactionId: string): boolean {
    return this.apps.some((app) => app.runs(interactionId));
  }

  /** Whether no run is in memory. */
  isIdle(): Promise<boolean> {
    return Promise.resolve(this.apps.every((app) => app.isIdle));
  }

  /** Stops the server and leaves the fake model for the next one. */
  async close(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.close()));
    await this.redis?.stop();
  }

  async stop(): Promise<void> {
    await this.close();
    await this.fake.stop();
  }
}

/** Of a server whose only model beside the demo is a fake one. */
export function serverEnvironment(fake: FakeOpenAi, env: Environment = {}): Environment {
  return {
    MODEL: 'openai/fake',
    SYSTEM_PROMPT_FILE: '/dev/null', // transcripts are without a system prompt
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: fake.baseUrl,
    LOG_LEVEL: 'debug',
    SAVE_TIMEOUT_MS: '30000', // whatever else the machine does
    ...env,
  };
}

const FOLDERS = new WeakMap<FileCatalog, string>();

/** Servers on the same stores have the same folder. */
function filesOf({ files }: AllStores, given?: string): string {
  const known = given ?? FOLDERS.get(files);
  const folder = known ?? join(tmpdir(), `parley-files-${randomUUID()}`);
  FOLDERS.set(files, folder);
  return folder;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
