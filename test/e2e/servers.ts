import type { Type } from '@nestjs/common';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import type { FakeOpenAi } from '../support/model/fake-openai.js';
import type { MovableClock } from '../support/movable-clock.js';
import type { Class } from '../support/server/test-app.js';
import { TestServer } from '../support/server/test-server.js';
import type { TestServerOptions } from '../support/server/test-server.js';
import { RunningServer } from './running-server.js';
import type { OpenStore, StoreKind } from './stores.js';

/** The server of a group of tests; it exists from the first of them on. */
export interface ServerUnderTest {
  readonly api: ApiClient;
  readonly fake: FakeOpenAi;
  /** The stores that the server runs on. */
  readonly stores: OpenStore['stores'];
  /** A provider, of each of its processes. */
  getAll<T>(type: Class<T>): readonly T[];
  /** The number of open event streams. */
  readonly streams: number;
  /** The number of readers of an interaction. */
  readersOf(interactionId: string): number;
  /** Whether it has no reader, and each process has heard so. */
  isUnread(interactionId: string): Promise<boolean>;
  /** Whether a run of it is in memory. */
  runs(interactionId: string): boolean;
  readonly clock: MovableClock;
  /** The folder of uploaded files. */
  readonly files: string;
  /** Moves its clock on, and settles the requests whose time is over then. */
  expire(milliseconds: number): Promise<void>;
  /** Stops the server in order, opens its store anew and starts it again, elsewhere. */
  restart(): Promise<void>;
}

export interface GroupOptions {
  readonly modules?: readonly Type[];
  /**
   * For groups that count everything on a server, or leave something behind that other groups would
   * meet.
   */
  readonly isOwn?: boolean;
}

/**
 * The servers that the groups of tests in one spec file run against, all on the same kind of store.
 * Groups with the same environment and modules share a server, unless it still runs something when
 * the next group begins.
 */
export class Servers {
  private readonly shared = new Map<string, RunningServer>();
  /** How many groups of each key have not ended. */
  private readonly left = new Map<string, number>();

  constructor(readonly store: StoreKind) {}

  /**
   * `env` is a function where it is known only after the hooks before. After each test the model
   * has met no invalid conversation, and the log no key.
   */
  run(
    env: Environment | (() => Environment),
    tests: (server: ServerUnderTest) => void,
    { modules = [], isOwn = false }: GroupOptions = {},
  ): void {
    const isKnown = typeof env !== 'function';
    const shared = [isKnown && env, ...modules.map(({ name }) => name)];
    const key = JSON.stringify(isKnown && !isOwn ? shared : [this.left.size]);
    this.left.set(key, (this.left.get(key) ?? 0) + 1);
    (this.store.fault ? describe.skip : describe)(`on ${this.store.name}`, () => {
      let server: RunningServer | undefined; // undefined if its start failed, which says why
      beforeAll(async () => {
        server = await this.take(key, { env: isKnown ? env : env(), modules });
      });
      afterAll(async () => {
        await this.giveBack(key);
      });
      afterEach(() => server?.check());
      tests(underTest(() => server!));
    });
  }

  /** An empty store of the same kind, for another server. */
  open(): Promise<OpenStore> {
    return this.store.open();
  }

  /** A server, or where the tests run on a cluster a cluster, that the caller stops. */
  start(stores: OpenStore['stores'], options: TestServerOptions): Promise<TestServer> {
    return TestServer.start(stores, { ...options, isCluster: this.store.isCluster });
  }

  /** Stops what is left when some groups did not run. */
  async stop(): Promise<void> {
    for (const server of this.shared.values()) await server.stop();
  }

  private async take(key: string, options: TestServerOptions): Promise<RunningServer> {
    const known = this.shared.get(key);
    if (await known?.isIdle()) return known!.handOver();
    await known?.stop();
    const server = await RunningServer.start(this, options);
    this.shared.set(key, server);
    return server;
  }

  private async giveBack(key: string): Promise<void> {
    const server = this.shared.get(key);
    const left = this.left.get(key)! - 1;
    this.left.set(key, left);
    try {
      await server?.checkChats();
    } finally {
      if (left === 0) {
        this.shared.delete(key);
        await server?.stop();
      }
    }
  }
}

/** For tests, which are written before their server has started. */
function underTest(server: () => RunningServer): ServerUnderTest {
  return {
    get api() {
      return server().current.api;
    },
    get fake() {
      return server().current.fake;
    },
    get stores() {
      return server().opened.stores;
    },
    getAll: (type) => server().current.getAll(type),
    get streams() {
      return server().current.streams;
    },
    readersOf: (interactionId) => server().current.readersOf(interactionId),
    isUnread: (interactionId) => server().current.isUnread(interactionId),
    runs: (interactionId) => server().current.runs(interactionId),
    get clock() {
      return server().clock;
    },
    get files() {
      return server().files;
    },
    expire: (milliseconds) => server().expire(milliseconds),
    restart: () => server().restart(),
  };
}
