import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';
import type { AppLogger } from '../logging/app-logger.js';
import { findAgentCode } from '../runs/effects/agent-code.js';

const EXIT_FAILED = 1;

/**
 * Shuts the server down on the first SIGTERM or SIGINT and exits with 0, or with 1 if that fails or
 * takes longer than `SHUTDOWN_GRACE_MS`. Exits immediately with 1 on a second signal.
 */
export function stopOnSignals(
  close: () => Promise<void>,
  { shutdownGraceMs }: Pick<Config, 'shutdownGraceMs'>,
): void {
  const logger = new Logger('Parley');
  let stopping = false;
  const fail = (message: string, err?: unknown): never => {
    logger.error({ message, err });
    return process.exit(EXIT_FAILED);
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return fail(`Second ${signal}, exiting immediately`);
    stopping = true;
    logger.log(`Received ${signal}, shutting down (grace ${shutdownGraceMs / 1000} s)`);
    setTimeout(() => fail('Graceful shutdown timed out'), shutdownGraceMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail('Graceful shutdown failed', error),
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

/**
 * An uncaught error in agent code fails that agent only. An unhandled rejection changes nothing for
 * its agent; an uncaught exception fails it, because what it waits for may never come. After any
 * other uncaught exception the state of the process is uncertain: it exits, and another one resumes
 * its runs.
 */
export function handleUncaughtErrors(): void {
  const logger = new Logger('Parley');
  process.on('unhandledRejection', (reason) =>
    logger.error({ message: `${agentCodeName()}Unhandled promise rejection`, err: reason }),
  );
  process.on('uncaughtException', (error) => {
    const code = findAgentCode();
    const message = code
      ? `${agentCodeName()}Uncaught exception in agent code; agent failed`
      : 'Uncaught exception; exiting';
    logger.error({ message, err: error });
    if (code) code.fail(error);
    else process.exit(EXIT_FAILED);
  });
}

/** Warnings of Node and of packages would be plain text on standard error. */
export function logWarnings(logger: AppLogger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => logger.warn(`${name}: ${message}`, 'Node'));
}

function agentCodeName(): string {
  const code = findAgentCode();
  return code ? `${code.interaction_id}: ${code.agent_id}: ` : '';
}
