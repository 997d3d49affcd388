import type { ChatRow, NewChat } from './rows/store-rows.js';

/** `cancel_reason` of an interaction that a start with `on_conflict: interrupt` cancels. */
export const INTERRUPTED = 'Interrupted by a new message.';

/** A chat before anything starts in it. */
export function newChatRow({ id, title, agent, created_at, metadata }: NewChat): ChatRow {
  const updated_at = created_at;
  return { id, title, agent, head_interaction_id: null, created_at, updated_at, metadata };
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
