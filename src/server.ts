import type { LoggerService } from '@nestjs/common';
import { NestFactoryStatic } from '@nestjs/core/nest-factory.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { ServerModule } from './app.module.js';
import { ParleyServer } from './app/parley-server.js';
import type { Config } from './config/config.js';
import { readConfig } from './config/config.module.js';
import { loadConfig } from './config/load-config.js';
import type { Environment } from './config/load-config.js';
import { configureApp } from './app/configure-app.js';
import { AppLogger } from './logging/app-logger.js';

export interface ServerOptions {
  /** The variables of `.env.example`. Unless given, those of the process and of `.env`. */
  readonly environment?: Environment;
}

/**
 * Starts a server in this process. It runs interactions, and serves HTTP once `listen` is called.
 * Signals, uncaught errors and exits are left to the program; the log of the process is the
 * server's from now on.
 * @param modules agents, tools and the like beside the server's own
 * @throws ConfigError with every fault of the variables
 */
export async function createServer(
  modules: readonly ServerModule[] = [],
  { environment }: ServerOptions = {},
): Promise<ParleyServer> {
  const config = environment ? loadConfig(environment, process.stdout.isTTY) : await readConfig();
  const server = await prepareServer(config, modules, new AppLogger(config));
  try {
    return await server.init();
  } catch (error) {
    await server.shutdown();
    throw error;
  }
}

/**
 * A server that does not run anything yet.
 * @param logger the log of the process, unless that stays as it is
 */
export async function prepareServer(
  config: Config,
  modules: readonly ServerModule[],
  logger?: LoggerService,
): Promise<ParleyServer> {
  // A factory of its own: that of Nest keeps the options of the application around this one.
  const app = await new NestFactoryStatic().create<NestExpressApplication>(
    AppModule.forRoot(config, modules),
    {
      ...(logger && { logger }),
      abortOnError: false,
      bodyParser: false,
      forceCloseConnections: true,
    },
  );
  return new ParleyServer(configureApp(app, config, app.get(AppLogger)));
}
