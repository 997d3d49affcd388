import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { LogHead } from './log-reader.js';
import type { LogState } from './log-state.js';

export function toInteractionRow(
  { start, user_message }: LogHead,
  state: LogState,
  superseded_at: string | null,
): InteractionRow {
  const { id, chat_id, agent, agent_id, model, settings, created_at, metadata, edited_from } =
    start;
  const { parent_id, status, usage, error, completed_at, last_seq } = state;
  const { epoch, signals, cancel_reason } = state;
  return {
    ...{ id, chat_id, parent_id, status, user_message, agent, model, settings, usage, error },
    ...{ created_at, completed_at, superseded_at, last_seq, metadata },
    ...{ epoch, agent_id, edited_from, signals, cancel_reason },
  };
}
