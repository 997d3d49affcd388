import { Logger } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Config } from '../config/config.js';
import { configureApp } from '../http/configure-app.js';
import { AppLogger } from '../logging/app-logger.js';
import { handleUncaughtErrors, stopOnSignals } from './process-signals.js';

/** Creates the application and resolves when it listens. */
export async function startServer(module: DynamicModule): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    abortOnError: false,
    autoFlushLogs: false,
    bodyParser: false,
    bufferLogs: true,
    forceCloseConnections: true,
  });
  const config = app.get(Config);
  configureApp(app, config, app.get(AppLogger)).flushLogs();
  handleUncaughtErrors();
  stopOnSignals(() => app.close(), config);
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
