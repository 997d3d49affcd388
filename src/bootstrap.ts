import type { DynamicModule, Type } from '@nestjs/common';
import { ConfigError } from './config/config-error.js';
import { AppConfigModule } from './config/config.module.js';
import { AppError } from './kernel/app-error.js';
import { keepFilesPrivate } from './kernel/umask.js';

/** Exit codes: invalid configuration (EX_CONFIG), and every other failure to start. */
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;

/**
 * Starts the server as configured by the environment, with `modules` (agents, tools) beside its
 * own.
 * Reports a failure on stderr and exits.
 */
export async function bootstrap(modules: readonly Type[] = []): Promise<void> {
  keepFilesPrivate();
  const config = await readConfig();
  try {
    // Loaded after the check, so that an invalid configuration is reported at once.
    const { startServer } = await import('./app/start-server.js');
    const { AppModule } = await import('./app.module.js');
    await startServer(AppModule.forRoot(config, modules));
  } catch (error) {
    process.stderr.write(`Parley could not start. ${describe(error)}\n`);
    process.exit(error instanceof ConfigError ? EXIT_CONFIG : EXIT_FAILED);
  }
}

async function readConfig(): Promise<DynamicModule> {
  try {
    return await AppConfigModule.forRoot();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(EXIT_CONFIG);
  }
}

/** Without the stack where the operator can fix the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOperational =
    error instanceof AppError || error instanceof ConfigError || 'code' in error;
  return isOperational ? error.message : (error.stack ?? error.message);
}
