import { AppError } from '../kernel/app-error.js';
import type { StartOutcome } from '../persistence/rows/store-rows.js';
import { MAX_QUEUED } from '../persistence/rows/store-rows.js';

type Accepted = Extract<StartOutcome, { interaction: unknown }>;

/** @throws AppError `chat_busy` (409), `queue_full` (429), `interaction_queued` (409), `idempotency_key_reused` (422), `interaction_not_found` (404) */
export function acceptStart(outcome: StartOutcome): Accepted {
  switch (outcome.outcome) {
    case 'started':
    case 'queued':
    case 'repeated':
      return outcome;
    case 'busy': {
      const { active_interaction_id } = outcome;
      throw new AppError(
        'conflict',
        'chat_busy',
        `The chat is busy with ${active_interaction_id}. Wait for its interaction_complete, cancel it, or send on_conflict "enqueue" or "interrupt".`,
        { extra: { active_interaction_id } },
      );
    }
    case 'queue_full':
      throw new AppError(
        'rate_limited',
        'queue_full',
        `${MAX_QUEUED} interactions wait in this chat already. Wait until some of them have run, or cancel them.`,
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
        'The interaction still waits for its turn, so there is no state before it to go on from. Cancel it and send the new message, or wait until it has begun.',
      );
  }
}
