import type { Type } from '@nestjs/common';
import { ConfigError } from './config/config-error.js';
import { AppError } from './kernel/app-error.js';
import type { Config } from './config/config.js';
import { loadConfig } from './config/load-config.js';
import { readEnvironment } from './config/read-environment.js';

/** Exit codes: a faulty configuration (EX_CONFIG), and everything else that keeps the server from starting. */
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;

/** Starts the server as the environment says, with `modules` (agents, tools) beside its own, or ends the process and says why. */
export async function bootstrap(modules: readonly Type[] = []): Promise<void> {
  const config = readConfig();
  // Loaded only now, so that a faulty configuration is told at once.
  const { startServer } = await import('./server.js');
  try {
    await startServer(config, modules);
  } catch (error) {
    process.stderr.write(`Parley could not start. ${describe(error)}\n`);
    process.exit(error instanceof ConfigError ? EXIT_CONFIG : EXIT_FAILED);
  }
}

/** A fault of ours needs its stack to be mended; what an operator can mend is told in its message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOperators = error instanceof AppError || error instanceof ConfigError || 'code' in error;
  return isOperators ? error.message : (error.stack ?? error.message);
}

function readConfig(): Config {
  try {
    return loadConfig(readEnvironment(), process.stdout.isTTY);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(EXIT_CONFIG);
  }
}
