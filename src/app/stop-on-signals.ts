import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';

/**
 * On the first SIGTERM or SIGINT stops the server in order and ends the process: with 0, or with 1 if that takes longer than
 * `SHUTDOWN_GRACE_MS` or fails. On a second one ends it at once, with 1.
 */
export function stopOnSignals(
  close: () => Promise<void>,
  { shutdownGraceMs }: Pick<Config, 'shutdownGraceMs'>,
): void {
  const logger = new Logger('Parley');
  let stopping = false;
  const fail = (message: string, err?: unknown): never => {
    logger.error({ message, err });
    return process.exit(1);
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return fail(`${signal} again: ends at once`);
    stopping = true;
    logger.log(`${signal}: stops within ${shutdownGraceMs} ms`);
    setTimeout(() => fail('Could not stop in time'), shutdownGraceMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail('Could not stop in order', error),
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
