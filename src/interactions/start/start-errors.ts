import { chatNotFound } from '../../access/not-found.js';
import { AppError } from '../../kernel/app-error.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { MAX_QUEUED } from '../../persistence/rows/start-rows.js';
import type {
  QuotaExceeded,
  RetryOutcome,
  StartOutcome,
} from '../../persistence/rows/start-rows.js';
import { isWaiting } from '../../protocol/interaction.js';
import { shownRequirement } from '../../runs/requirements/find-missing.js';

/** Errors of interactions that could not go on, through no fault that the log tells of. */
export const GIVEN_UP = ['crash_loop', 'log_unreadable', 'save_loop', 'store_refused'];

export type Accepted = Extract<StartOutcome, { interaction: unknown }>;
type Busy = Extract<StartOutcome, { outcome: 'busy' }>;

/**
 * @throws AppError `queue_full` (429), `interaction_queued`, `chat_replaced` (409),
 * `idempotency_key_reused` (422), `chat_not_found`, `interaction_not_found` (404)
 */
export function requireAccepted(
  outcome: Exclude<StartOutcome, QuotaExceeded | Busy>,
  chatId: string,
): Accepted {
  switch (outcome.outcome) {
    case 'started':
    case 'queued':
    case 'repeated':
      return outcome;
    case 'hidden':
      throw chatNotFound(chatId);
    case 'queue_full':
      throw new AppError(
        'rate_limited',
        'queue_full',
        `${MAX_QUEUED} interactions are queued in this chat already. Wait until some of them have run, or cancel them.`,
      );
    case 'other_chat':
      throw new AppError(
        'conflict',
        'chat_replaced',
        'The chat was deleted and created again meanwhile. Send the message again.',
      );
    case 'key_reused':
      throw new AppError(
        'unprocessable',
        'idempotency_key_reused',
        'This Idempotency-Key was used in this chat with another body. Use a new key for a new message.',
      );
    case 'unknown_edit':
      throw new AppError(
        'not_found',
        'interaction_not_found',
        'The chat has no interaction of this id that could be edited.',
      );
    case 'edits_queued':
      throw new AppError(
        'conflict',
        'interaction_queued',
        'The interaction is still queued, so it has no prior state yet. Change its message with PATCH, or wait until it has begun.',
      );
  }
}

/**
 * @throws AppError `not_given_up`, `interaction_superseded` (409), `interaction_not_found` (404)
 */
export function requireRetried(
  outcome: Exclude<RetryOutcome, QuotaExceeded | Busy> | undefined,
): InteractionRow {
  switch (outcome?.outcome) {
    case 'retried':
      return outcome.interaction;
    case 'not_given_up':
      throw notGivenUp();
    case 'not_head':
      throw new AppError(
        'conflict',
        'interaction_superseded',
        'The chat has gone on without this interaction. Switch the head of the chat to it, or edit its message.',
      );
    case undefined:
      throw new AppError('not_found', 'interaction_not_found', 'The interaction was deleted.');
  }
}

export function notGivenUp(cause = ''): AppError {
  const message = `${cause}Only an interaction that this server has given up can be retried: one that is FAILED with the error code ${GIVEN_UP.join(' or ')}. Edit the message to try another one again.`;
  return new AppError('conflict', 'not_given_up', message);
}

/** An interaction that waits for a person goes on only once its request is settled. */
export function chatBusy(
  {
    id,
    status,
    waits_for,
  }: Pick<InteractionRow, 'id'> & Partial<Pick<InteractionRow, 'status' | 'waits_for'>>,
  advice: string,
): AppError {
  const extra = {
    active_interaction_id: id,
    ...(status !== undefined && { active_status: status }),
  };
  if (waits_for) {
    const detail = `The chat is busy with ${id}, which waits until the server has ${shownRequirement(waits_for)} again. Restore that${advice}`;
    return new AppError('conflict', 'chat_busy', detail, { extra });
  }
  const waits = status !== undefined && isWaiting(status);
  const detail = waits
    ? `The chat is busy with ${id}, which waits for a person (${status}). Settle its request (GET /requests?status=pending)${advice}`
    : `The chat is busy with ${id}. Wait for its interaction_complete${advice}`;
  return new AppError('conflict', 'chat_busy', detail, { extra });
}
