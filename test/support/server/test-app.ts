import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../../src/app.module.js';
import { loadConfig } from '../../../src/config/load-config.js';
import type { Environment } from '../../../src/config/load-config.js';
import { AppLogger } from '../../../src/logging/app-logger.js';
import { configureApp } from '../../../src/app/configure-app.js';
import { EventStreams } from '../../../src/streams/event-streams.js';
import { Clock, SystemClock } from '../../../src/kernel/clock.js';
import { LeaseKeeper } from '../../../src/runs/runner/lease-keeper.js';
import { Readers } from '../../../src/event-log/follow/readers.js';
import { TEST_ENCRYPTION } from '../store/encrypted.js';
import type { AllStores } from '../../../src/storage/stores.js';

export interface TestAppOptions {
  readonly env: Environment;
  readonly modules: readonly Type[];
  /** Where each line that it logs goes. */
  readonly log: string[];
  readonly clock?: Clock | undefined;
  /** The folder of uploaded files. */
  readonly files: string;
}

/** Of providers, abstract or not. */
export type Class<T> = abstract new (...args: never[]) => T;

/** The whole server in this process, on a store that is open. */
export class TestApp {
  private constructor(
    private readonly app: NestExpressApplication,
    readonly url: string,
  ) {}

  static async start(stores: AllStores, options: TestAppOptions): Promise<TestApp> {
    const { env, modules, log, clock = new SystemClock(), files } = options;
    const config = loadConfig({ ...TEST_ENCRYPTION, FILES_DIR: files, ...env });
    const logger = new AppLogger(config, (line) => log.push(line));
    const module = Test.createTestingModule({ imports: [AppModule.of(config, stores, modules)] })
      .setLogger(logger)
      .overrideProvider(Clock)
      .useValue(clock);
    const compiled = await module.compile();
    const app = compiled.createNestApplication<NestExpressApplication>({
      ...{ logger, bodyParser: false, forceCloseConnections: true },
    });
    await configureApp(app, config, logger).listen(0, '127.0.0.1');
    return new TestApp(app, await app.getUrl());
  }

  /** A provider of its own. */
  get<T>(type: Class<T>): T {
    return this.app.get(type, { strict: false });
  }

  get streams(): number {
    return this.get(EventStreams).count;
  }

  readersOf(interactionId: string): number {
    return this.get(Readers).count(interactionId);
  }

  runs(interactionId: string): boolean {
    const held = this.get(LeaseKeeper).held();
    return held.some(({ run }) => run.interactionId === interactionId);
  }

  /** Whether no run is in memory. */
  get isIdle(): boolean {
    return this.get(LeaseKeeper).held().length === 0;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
