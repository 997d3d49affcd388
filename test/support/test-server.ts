import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../src/app.module.js';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import { AppLogger } from '../../src/http/app-logger.js';
import { configureApp } from '../../src/http/configure-app.js';
import { SseStreams } from '../../src/http/sse-streams.js';
import { LeaseKeeper } from '../../src/interactions/lease-keeper.js';
import { Readers } from '../../src/log/readers.js';
import type { Stores } from '../../src/ports.module.js';
import { ApiClient } from './api-client.js';
import { FakeOpenAi } from './fake-openai.js';

/** Must never come out of a server. */
export const KEY = 'sk-a-key-that-nobody-may-see';

export interface TestServerOptions {
  readonly env?: Environment;
  /** Agents and tools beside the server's own. */
  readonly modules?: readonly Type[];
  /** One that a server before this one has talked to. */
  readonly fake?: FakeOpenAi;
}

/** The whole server in this process, on a store that is open, with a fake model API as its only model beside the demo. */
export class TestServer {
  private constructor(
    private readonly app: NestExpressApplication,
    readonly fake: FakeOpenAi,
    readonly api: ApiClient,
    /** What was logged, line by line. */
    readonly log: readonly string[],
  ) {}

  static async start(
    stores: Stores,
    { env = {}, modules = [], fake: known }: TestServerOptions = {},
  ): Promise<TestServer> {
    const fake = known ?? (await FakeOpenAi.start());
    const config = loadConfig({
      MODEL: 'openai/fake',
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: fake.baseUrl,
      LOG_LEVEL: 'debug',
      ...env,
    });
    const log: string[] = [];
    const logger = new AppLogger(config, (line) => log.push(line));
    const app = await NestFactory.create<NestExpressApplication>(
      AppModule.of(config, stores, modules),
      { logger, bodyParser: false, forceCloseConnections: true },
    );
    await configureApp(app, config, logger).listen(0, '127.0.0.1');
    return new TestServer(app, fake, new ApiClient(await app.getUrl()), log);
  }

  /** Event streams that are open. */
  get streams(): number {
    return this.app.get(SseStreams, { strict: false }).count;
  }

  /** Readers that an interaction has. */
  readersOf(interactionId: string): number {
    return this.app.get(Readers, { strict: false }).count(interactionId);
  }

  /** Whether this process has a run of it in memory. */
  runs(interactionId: string): boolean {
    const held = this.app.get(LeaseKeeper, { strict: false }).held();
    return held.some(({ run }) => run.interactionId === interactionId);
  }

  /** Stops the server and leaves the fake model for the next one. */
  close(): Promise<void> {
    return this.app.close();
  }

  async stop(): Promise<void> {
    await this.close();
    await this.fake.stop();
  }
}
