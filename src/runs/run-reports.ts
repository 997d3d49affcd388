import type { Logger } from '@nestjs/common';
import { LeaseLostError } from '../event-log/append/lease-lost.error.js';
import type { LiveBus } from '../event-log/live/live-bus.js';
import { AppError } from '../kernel/app-error.js';
import type { RecordOf } from '../protocol/events.js';
import { toErrorText } from '../tools/text/to-text.js';
import type { ToolServer } from '../tools/core/tool-source.js';

/** True if the run can no longer write; the interaction continues in another run. */
export function isLoss(error: unknown): boolean {
  return (
    error instanceof LeaseLostError ||
    (error instanceof AppError && error.code === 'store_unavailable')
  );
}

/** Logs that the agent failed. */
export function reportFailure(logger: Logger, interactionId: string, error: unknown): void {
  const text = `${interactionId} failed: ${toErrorText(error)}`;
  if (error instanceof AppError) logger.debug(text);
  else logWithStack(logger, error, text);
}

/** Logs that a run could not go on. */
export function reportStop(logger: Logger, run: string, error: unknown): void {
  const text = `${run} stops: ${toErrorText(error)}`;
  if (isLoss(error)) logger.warn(text);
  else logWithStack(logger, error, text);
}

/** Unexpected errors are bugs of the agent or of the server. */
function logWithStack(logger: Logger, error: unknown, text: string): void {
  logger.error(error instanceof Error ? error : text, text);
}

/** Notices at the start of a run: tool servers or a live bus that are unavailable. */
export function outageNotices(
  servers: readonly ToolServer[],
  bus: Pick<LiveBus, 'awaySince'>,
): RecordOf<'NOTICE'>[] {
  return [...(bus.awaySince ? [BUS_AWAY] : []), ...servers.flatMap(serverNotice)];
}

const BUS_AWAY: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'live_bus_unavailable',
  message:
    'The Redis connection is lost: readers on processes other than the one that runs this see its events with a delay.',
};

function serverNotice({ name, state, problem }: ToolServer): RecordOf<'NOTICE'>[] {
  if (state === 'ready') return [];
  const message = `The tools of ${name} are not available: ${problem ?? 'it is still being connected'}.`;
  return [{ type: 'NOTICE', code: 'tool_server_unavailable', message }];
}
