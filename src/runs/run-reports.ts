import type { Logger } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { LeaseLostError } from '../event-log/append/lease-lost.error.js';
import { toErrorText } from '../tools/to-text.js';

/** The run can't write any more: it ends here, and the interaction goes on in another one. */
export function isLoss(error: unknown): boolean {
  return (
    error instanceof LeaseLostError ||
    (error instanceof AppError && error.code === 'store_unavailable')
  );
}

/** The agent failed. */
export function reportFailure(logger: Logger, interactionId: string, error: unknown): void {
  const what = `${interactionId} failed: ${toErrorText(error)}`;
  if (error instanceof AppError) logger.debug(what);
  else logBug(logger, error, what);
}

/** The run itself could not go on. */
export function reportStop(logger: Logger, run: string, error: unknown): void {
  const what = `${run} stops: ${toErrorText(error)}`;
  if (isLoss(error)) logger.warn(what);
  else logBug(logger, error, what);
}

/** What nobody foresaw is the agent's fault, or ours: whoever mends it needs the stack. */
function logBug(logger: Logger, error: unknown, what: string): void {
  logger.error(error instanceof Error ? error : what, what);
}
