import { Logger } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from './config/config.js';
import { AppModule } from './app.module.js';
import { AppLogger } from './http/app-logger.js';
import { configureApp } from './http/configure-app.js';
import { openStorage } from './storage/open-storage.js';
import type { Storage } from './storage/open-storage.js';

/** Opens the store, then the server, with `modules` beside its own; resolves when it listens. */
export async function startServer(config: Config, modules: readonly Type[]): Promise<void> {
  const logger = new AppLogger(config);
  const storage = await openStorage(config, (problem) => logger.warn(problem, 'Storage'));
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.of(config, storage, modules),
    { logger, abortOnError: false, bodyParser: false, forceCloseConnections: true },
  );
  configureApp(app, config, logger);
  surviveStrayRejections();
  stopOnSignals(app, storage, config);
  await app.listen(config.port, config.host);
  announce(config, await app.getUrl());
}

function announce(config: Config, url: string): void {
  const logger = new Logger('Parley');
  for (const warning of config.warnings) logger.warn(warning);
  logger.log(`Model ${config.model}: ${config.modelReason}`);
  logger.log(`Ready on ${url}; API to try: ${url}/docs`);
}

/** A promise that somebody's agent or tool left alone must not end everybody's runs. */
function surviveStrayRejections(): void {
  const logger = new Logger('Parley');
  process.on('unhandledRejection', (reason) =>
    logger.error({ message: 'A promise was rejected that nobody waited for.', err: reason }),
  );
}

/** The first signal stops the server in order, within its grace; a second one at once. */
function stopOnSignals(app: NestExpressApplication, storage: Storage, config: Config): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), config.shutdownGraceMs).unref();
    void app
      .close()
      .then(() => storage.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          new Logger('Parley').error(error);
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
