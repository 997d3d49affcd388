import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestExpiry } from '../../src/approvals/request-expiry.js';
import { MovableClock } from '../support/movable-clock.js';
import { KEY } from '../support/server/test-server.js';
import type { SuiteServer } from '../support/server/suite-server.js';
import type { TestServerOptions } from '../support/server/test-server.js';
import type { Servers } from './servers.js';
import type { OpenStore } from './stores.js';

/**
 * Of all servers in this process, line by line: they share the logger of Nest. What was checked is
 * gone.
 */
const LOG: string[] = [];

/**
 * A server with its store and its clock, through its restarts and from one group of tests to the
 * next.
 */
export class RunningServer {
  readonly clock = new MovableClock();
  /** When the group of tests that uses it began, unless it is the first. */
  private since: string | undefined;
  /** The newest; `restart` replaces it. */
  current: SuiteServer;

  private constructor(
    private readonly servers: Servers,
    private readonly options: TestServerOptions,
    readonly opened: OpenStore,
    /** The folder of uploaded files. */
    readonly files: string,
  ) {}

  static async start(servers: Servers, options: TestServerOptions): Promise<RunningServer> {
    const files = await mkdtemp(join(tmpdir(), 'parley-files-'));
    const server = new RunningServer(servers, options, await servers.open(), files);
    await server.boot();
    return server;
  }

  /** Whether nothing runs on it that could still ask the model something. */
  isIdle(): Promise<boolean> {
    return this.current.isIdle();
  }

  /** To the next group of tests, which meets a model as it was at the start. */
  handOver(): this {
    this.current.fake.reset();
    this.clock.skipsSleep = false;
    this.since = this.clock.now().toISOString();
    return this;
  }

  check(): void {
    expect(this.current.fake.violations).toEqual([]);
    expect(this.current.log.join('')).not.toContain(KEY);
    LOG.splice(0);
  }

  /** Groups that share a server have chats of their own. */
  async checkChats(): Promise<void> {
    const { since } = this;
    if (since === undefined) return;
    const { api } = this.current;
    const { ADMIN_KEY } = this.options.env ?? {};
    const reader = ADMIN_KEY === undefined ? api : api.bearing(ADMIN_KEY);
    const reply = await reader.get('/chats?limit=200');
    expect(reply).toMatchObject({ status: 200 });
    const { items } = reply.body;
    const used = (items as { id: string; created_at: string; updated_at: string }[]).filter(
      ({ created_at, updated_at }) => created_at < since && updated_at > since,
    );
    expect(used.map(({ id }) => id)).toEqual([]);
  }

  async expire(milliseconds: number): Promise<void> {
    this.clock.pass(milliseconds);
    await Promise.all(this.current.getAll(RequestExpiry).map((each) => each.expire()));
  }

  async restart(): Promise<void> {
    const { fake } = this.current;
    await this.current.close();
    await this.opened.reopen();
    await this.boot(fake);
  }

  async stop(): Promise<void> {
    await this.current.stop();
    await this.opened.close();
    await rm(this.files, { recursive: true, force: true });
  }

  private async boot(fake?: SuiteServer['fake']): Promise<void> {
    const { clock, opened, files } = this;
    const options = { ...this.options, clock, files, log: LOG, ...(fake && { fake }) };
    this.current = opened.start
      ? await opened.start(options)
      : await this.servers.start(opened.stores, options);
  }
}
