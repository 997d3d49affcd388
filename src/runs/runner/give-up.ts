import { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { RunLog } from '../../event-log/append/run-log.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import { toErrorText } from '../../tools/to-text.js';
import type { RunServices } from '../run-services.js';

/**
 * Ends an interaction FAILED without a look at its log, which can't be read or is what takes the process down. Whoever calls this holds
 * its lease.
 */
export async function giveUp(
  deps: RunServices,
  interaction: InteractionRow,
  { code, message }: AppError,
): Promise<void> {
  const { id: interaction_id, epoch, last_seq, agent_id, user_message } = interaction;
  const log = new RunLog(deps, {
    ...{ interaction_id, epoch, last_seq },
    holdsLease: () => true, // the store fences off whoever lost it
    onCommitted: () => {},
  });
  const status = 'FAILED';
  const error = { code, message };
  const entry = (body: Entry['body']): Entry => ({ agent_id, key: null, body });
  const completed_at = deps.clock.now().toISOString();
  const end = {
    status,
    error,
    completed_at,
    added_messages: [{ role: 'user', content: user_message }],
  } as const;
  await log.append(
    [entry({ type: 'ERROR', ...error }), entry({ type: 'INTERACTION_COMPLETE', status })],
    { status, end },
  );
  log.close();
}

/** What could not be taken up, and will not be at the next try either. */
export function unreadable(cause: unknown): AppError {
  return new AppError(
    'internal',
    'log_unreadable',
    `The log of this interaction can't be read, so that it can't go on: ${toErrorText(cause).slice(0, 1_000)}`,
    { cause },
  );
}

/** Whether the next try may succeed: the store, the disk or the system is in the way. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === 'unavailable';
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^E[A-Z]+$/.test(code);
}
