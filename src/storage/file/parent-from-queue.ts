import type { InteractionLog } from './interaction-log.js';
import type { LogStart } from './log-start.js';
import type { StoredChat } from './stored-chat.js';

/** What a queued interaction goes on from if it leaves the queue now: the chat's head. An edit has known it since it was asked for. */
export function parentFromQueue(
  chat: StoredChat,
  { state }: InteractionLog,
  { edited_from }: LogStart,
): string | null {
  return edited_from === null ? chat.row.head_interaction_id : state.parent_id;
}
