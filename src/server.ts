import { Logger } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from './config/config.js';
import { AppModule } from './app.module.js';
import { AppLogger } from './logging/app-logger.js';
import { configureApp } from './http/configure-app.js';
import { stopOnSignals } from './app/stop-on-signals.js';
import { handleUncaughtErrors } from './app/handle-uncaught-errors.js';
import { openStorage } from './storage/open-storage.js';

/** Opens the store, then the server, with `modules` beside its own; resolves when it listens. */
export async function startServer(config: Config, modules: readonly Type[]): Promise<void> {
  const logger = new AppLogger(config);
  const storage = await openStorage(config, (problem) => logger.warn(problem, 'Storage'));
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.of(config, storage, modules),
    { logger, abortOnError: false, bodyParser: false, forceCloseConnections: true },
  );
  configureApp(app, config, logger);
  handleUncaughtErrors();
  stopOnSignals(() => app.close().then(() => storage.close()), config);
  await app.listen(config.port, config.host);
  announce(config, await app.getUrl());
}

function announce(config: Config, url: string): void {
  const logger = new Logger('Parley');
  for (const warning of config.warnings) logger.warn(warning);
  logger.log(`Model ${config.model}: ${config.modelReason}`);
  const use = config.role === 'worker' ? 'runs agents' : `API to try: ${url}/docs`;
  logger.log(`Ready on ${url}; ${use}`);
}
