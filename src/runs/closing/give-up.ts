import type { Entry, RunLogDeps } from '../../event-log/append/run-log.js';
import { RunLog } from '../../event-log/append/run-log.js';
import { AppError } from '../../kernel/app-error.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { toErrorText } from '../../tools/core/to-text.js';
import type { RunServices } from '../scope/run-services.js';
import { cutText } from '../../kernel/text/cut-text.js';

interface GivenUp {
  readonly error: AppError;
  /** Number of frames that its run has published. */
  readonly last_frame?: number;
}

/**
 * Ends an interaction as FAILED without reading its log, because reading is impossible or crashes
 * the process, or because the store refuses what the run wants to write. The caller holds its
 * lease.
 */
export async function giveUp(
  services: RunLogDeps & Pick<RunServices, 'reports'>,
  interaction: InteractionRow,
  { error: cause, last_frame = 0 }: GivenUp,
): Promise<void> {
  const { id: interaction_id, epoch, last_seq, agent_id, user_message } = interaction;
  const { chat_uid, tenant_id } = interaction;
  const chat = { chat_uid, tenant_id };
  const lease = { isFresh: true }; // the fencing of the store excludes a run that has lost it
  const log = new RunLog(services, { interaction_id, chat, epoch, last_seq, last_frame, lease });
  const status = 'FAILED';
  const error = { code: cause.code, message: cause.message };
  const entry = (body: Entry['body']): Entry => ({ agent_id, key: null, body });
  const end = {
    status,
    error,
    completed_at: services.clock.now().toISOString(),
    added_messages: [{ role: 'user', content: user_message }],
  } as const;
  await log.append(
    [entry({ type: 'ERROR', ...error }), entry({ type: 'INTERACTION_COMPLETE', status })],
    { status, end },
  );
  log.close();
  const { usage } = interaction;
  services.reports.ended(interaction, { ...end, usage, fault: { thrown: cause.cause ?? cause } });
}

/** The error for a log that could not be loaded, if a retry is useless. */
export function unreadable(cause: unknown): AppError {
  return new AppError(
    'internal',
    'log_unreadable',
    `The log of this interaction can't be read, so that it can't go on: ${cutText(toErrorText(cause), 1_000)}`,
    { cause },
  );
}

/** Errors of the disk, the network or the operating system that may pass. */
const TRANSIENT: ReadonlySet<unknown> = new Set([
  ...['EAGAIN', 'EBUSY', 'EDQUOT', 'EINTR', 'EIO', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'],
  ...['ENOSPC', 'EROFS', 'ESTALE', 'ETIMEDOUT', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET'],
  ...['EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE'],
]);

/**
 * True if a retry may succeed. An error that stays would be retried for ever, and keep the sweep
 * from other interactions.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === 'unavailable';
  return TRANSIENT.has((error as { code?: unknown } | null | undefined)?.code);
}
