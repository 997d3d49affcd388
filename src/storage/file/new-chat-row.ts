import type { ChatRow, NewChat } from '../../persistence/rows/store-rows.js';

/** A chat as it is before anything starts in it. */
export function newChatRow({ id, title, agent, created_at, metadata }: NewChat): ChatRow {
  const updated_at = created_at;
  return { id, title, agent, head_interaction_id: null, created_at, updated_at, metadata };
}
