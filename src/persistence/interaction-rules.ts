import type { InteractionRow } from './rows/interaction-row.js';
import type { LogRecord } from './rows/log-record.js';
import type { ChatRow, NewChat } from './rows/chat-rows.js';
import type { RetryInteraction } from './rows/start-rows.js';

/** `cancel_reason` of an interaction that is cancelled by a start with `on_conflict: interrupt`. */
export const INTERRUPTED = 'Interrupted by a new message.';

/** The row of a new chat, before an interaction starts in it. */
export function newChatRow({ data_key: _key, messages: _messages, ...chat }: NewChat): ChatRow {
  return { ...chat, preview: null, head_interaction_id: null, updated_at: chat.created_at };
}

/** The record of a retry, in an epoch of its own. */
export function retryRecord(
  row: Pick<InteractionRow, 'id' | 'agent_id' | 'epoch' | 'last_seq'>,
  { resumed: body, at }: RetryInteraction,
): LogRecord {
  const { id: interaction_id, agent_id } = row;
  const [epoch, seq] = [row.epoch + 1, row.last_seq + 1];
  return { interaction_id, seq, epoch, agent_id, at, key: null, body, hidden: null };
}

export interface LossCounters {
  /** The current epoch has made progress; see `isProgress`. */
  readonly progressed: boolean;
  /** Consecutive lost runs without progress, at the beginning of the current epoch. */
  readonly losses: number;
  /** Number of these losses in which it was the only suspect that ran. */
  readonly alone_losses: number;
  /** Number of suspects in the group that its run was started with; 0: it runs as no suspect. */
  readonly trial: number;
  readonly owner: string | null;
}

/** The counters of its next run; a run that still has an owner counts as lost. */
export function countLosses(counters: LossCounters): Omit<LossCounters, 'progressed' | 'owner'> {
  const { progressed, losses, alone_losses, trial, owner } = counters;
  if (progressed) return { losses: 0, alone_losses: 0, trial: 0 };
  if (owner === null) return { losses, alone_losses, trial };
  return { losses: losses + 1, alone_losses: alone_losses + (trial === 1 ? 1 : 0), trial };
}
