import type { ServerModule } from './app.module.js';
import { ConfigError } from './config/config-error.js';
import type { Config } from './config/config.js';
import { readConfig } from './config/config.module.js';
import { AppError } from './kernel/app-error.js';
import { keepFilesPrivate } from './kernel/disk/umask.js';
import { AppLogger } from './logging/app-logger.js';

/** Exit codes: invalid configuration (EX_CONFIG), and every other failure to start. */
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;

/**
 * Starts the server as configured by the environment, with `modules` (agents, tools) beside its
 * own.
 * Reports a failure on stderr and exits.
 */
export async function bootstrap(modules: readonly ServerModule[] = []): Promise<void> {
  keepFilesPrivate();
  process.stderr.on('error', () => {}); // its reader may go away, as that of the log
  const config = await requireConfig();
  try {
    // Loaded after the check, so that an invalid configuration is reported at once.
    const { prepareServer } = await import('./server.js');
    const { handleUncaughtErrors, logWarnings, stopOnSignals } =
      await import('./app/process-signals.js');
    const { startWatchdog } = await import('./watchdog/watchdog.js');
    const logger = new AppLogger(config);
    logWarnings(logger);
    const server = await prepareServer(config, modules, logger);
    handleUncaughtErrors();
    stopOnSignals(() => server.shutdown(), config);
    startWatchdog(config, logger);
    await server.init();
    await server.listen();
    if (process.connected) process.send?.('ready'); // to what started it
  } catch (error) {
    process.stderr.write(`Parley could not start. ${describe(error)}\n`);
    process.exit(error instanceof ConfigError ? EXIT_CONFIG : EXIT_FAILED);
  }
}

async function requireConfig(): Promise<Config> {
  try {
    return await readConfig();
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
