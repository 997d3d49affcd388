import type { LogRecord } from './rows/log-record.js';
import type { ChatRow, InteractionRow, NewChat } from './rows/store-rows.js';

/** `cancel_reason` of an interaction that a start with `on_conflict: interrupt` cancels. */
export const INTERRUPTED = 'Interrupted by a new message.';

/** A chat before anything starts in it. */
export function newChatRow({ id, title, agent, created_at, metadata }: NewChat): ChatRow {
  const updated_at = created_at;
  return { id, title, agent, head_interaction_id: null, created_at, updated_at, metadata };
}

export type Beginning = Pick<
  InteractionRow,
  'id' | 'chat_id' | 'user_message' | 'agent' | 'agent_id' | 'model' | 'edited_from'
> &
  Pick<InteractionRow, 'parent_id' | 'epoch'>;

/** Record 1: INTERACTION_STARTED, by the root agent. */
export function recordOne(row: Beginning, at: string): LogRecord {
  const { id, chat_id, user_message, agent, agent_id, model, edited_from, parent_id, epoch } = row;
  const edit = edited_from === null ? {} : { edited_from };
  return {
    ...{ interaction_id: id, seq: 1, epoch, agent_id, at, key: null },
    body: {
      type: 'INTERACTION_STARTED',
      ...{ chat_id, user_message, agent, model, parent_id },
      ...edit,
    },
    hidden: null,
  };
}

export interface LossCounters {
  readonly last_seq: number;
  /** Records up to this one are no progress of the present epoch: older runs wrote them, or it is `RESUMED`. */
  readonly taken_seq: number;
  /** Lost runs in a row without progress, when the present epoch began. */
  readonly losses: number;
  readonly owner: string | null;
}

/** Lost runs in a row without progress; one that still has an owner counts as lost. */
export function countLosses({ last_seq, taken_seq, losses, owner }: LossCounters): number {
  if (last_seq > taken_seq) return 0;
  return losses + (owner === null ? 0 : 1);
}
