import type { Type } from '@nestjs/common';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/api-client.js';
import type { FakeOpenAi } from '../support/fake-openai.js';
import { KEY, TestServer } from '../support/test-server.js';
import type { TestServerOptions } from '../support/test-server.js';
import { STORES } from './stores.js';
import type { OpenStore, StoreKind } from './stores.js';

/** The server of the tests that run; there from the first of them on. */
export interface ServerUnderTest {
  readonly api: ApiClient;
  readonly fake: FakeOpenAi;
  /** What the server runs on. */
  readonly stores: OpenStore['stores'];
  /** An empty one of the same kind, for another server. */
  openStore(): Promise<OpenStore>;
  /** A provider, of each of its processes. */
  getAll<T>(type: Type<T>): readonly T[];
  /** Event streams that are open. */
  readonly streams: number;
  /** Readers that an interaction has. */
  readersOf(interactionId: string): number;
  /** Whether a run of it is in memory. */
  runs(interactionId: string): boolean;
  /** Stops the server in order, opens its store anew and starts it again, elsewhere. */
  restart(): Promise<void>;
}

/** The same tests against a server on each store. After each of them the model has met no invalid conversation, and the log no key. */
export function onEachStore(
  env: Environment,
  tests: (server: ServerUnderTest) => void,
  modules: TestServerOptions['modules'] = [],
): void {
  for (const kind of STORES)
    (kind.fault ? describe.skip : describe)(`on ${kind.name}`, () =>
      describeOn(kind, { env, modules }, tests),
    );
}

function describeOn(
  kind: StoreKind,
  options: TestServerOptions,
  tests: (server: ServerUnderTest) => void,
): void {
  let opened: OpenStore;
  let server: TestServer;
  beforeAll(async () => {
    opened = await kind.open();
    server = await TestServer.start(opened.stores, options);
  });
  afterAll(async () => {
    await server.stop();
    await opened.close();
  });
  afterEach(() => {
    expect(server.fake.violations).toEqual([]);
    expect(server.log.join('')).not.toContain(KEY);
  });
  tests({
    get api() {
      return server.api;
    },
    get fake() {
      return server.fake;
    },
    get stores() {
      return opened.stores;
    },
    openStore: () => kind.open(),
    getAll: (type) => server.getAll(type),
    get streams() {
      return server.streams;
    },
    readersOf: (interactionId) => server.readersOf(interactionId),
    runs: (interactionId) => server.runs(interactionId),
    async restart() {
      const { fake } = server;
      await server.close();
      await opened.reopen();
      server = await TestServer.start(opened.stores, { ...options, fake });
    },
  });
}
