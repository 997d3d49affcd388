import type { ChatRow, NewChat } from './rows/store-rows.js';

/** `cancel_reason` of an interaction that is cancelled by a start with `on_conflict: interrupt`. */
export const INTERRUPTED = 'Interrupted by a new message.';

/** The row of a new chat, before an interaction starts in it. */
export function newChatRow({ id, title, agent, created_at, metadata }: NewChat): ChatRow {
  const updated_at = created_at;
  return { id, title, agent, head_interaction_id: null, created_at, updated_at, metadata };
}

export interface LossCounters {
  readonly last_seq: number;
  /**
   * Records up to this seq are no progress of the current epoch: earlier runs wrote them, or the
   * record is `RESUMED`.
   */
  readonly taken_seq: number;
  /** Consecutive lost runs without progress at the beginning of the current epoch. */
  readonly losses: number;
  readonly owner: string | null;
}

/** Consecutive lost runs without progress; a run that still has an owner counts as lost. */
export function countLosses({ last_seq, taken_seq, losses, owner }: LossCounters): number {
  if (last_seq > taken_seq) return 0;
  return losses + (owner === null ? 0 : 1);
}
