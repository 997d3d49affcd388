import { Logger } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Config } from '../config/config.js';
import { describeProxy } from '../config/proxy-for.js';
import { configureApp } from '../http/configure-app.js';
import { AppError } from '../kernel/app-error.js';
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
  await app.listen(config.port, config.host).catch((error: unknown) => {
    throw describeListenFault(error, config);
  });
  announce(config, await app.getUrl());
}

/** Names the variable to change. */
function describeListenFault(
  cause: unknown,
  { port, host }: Pick<Config, 'port' | 'host'>,
): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const problem = {
    EADDRINUSE: `PORT=${port} is in use on ${host}: another program listens there (EADDRINUSE). Stop it, or set another PORT`,
    EACCES: `PORT=${port} needs privileges that this user lacks (EACCES). Set a PORT above 1023`,
    EADDRNOTAVAIL: `HOST=${host} is no address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all`,
    ENOTFOUND: `HOST=${host} can't be resolved. Set HOST to an address of this machine`,
    EAI_AGAIN: `HOST=${host} can't be resolved at the moment. Set HOST to an address of this machine`,
  }[code];
  return problem ? new AppError('unavailable', 'cannot_listen', `${problem}.`, { cause }) : cause;
}

function announce(config: Config, url: string): void {
  const logger = new Logger('Parley');
  for (const warning of config.warnings) logger.warn(warning);
  logger.log(`Model ${config.model}: ${config.modelReason}`);
  const proxy = describeProxy(config);
  if (proxy) logger.log(proxy);
  const use = config.role === 'worker' ? 'runs agents' : `API to try: ${url}/docs`;
  logger.log(`Ready on ${url}; ${use}`);
}
