import type { ArchivedInteraction } from '../../persistence/chat-archive.js';
import type { RecordOrigin } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { ChatRow } from '../../persistence/rows/store-rows.js';
import type { Hidden, RecordBody } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';

/** Of the format that docs/session-log.md describes. */
export const SESSION_LOG_VERSION = 1;

/** One line of a session log, an object of JSON. `session_log` comes first, `end` last. */
export type LogLine =
  | { readonly type: 'session_log'; readonly version: number }
  | ({ readonly type: 'chat' } & ChatRow)
  | ({ readonly type: 'interaction' } & InteractionFields)
  | ({ readonly type: 'record'; body: RecordBody; hidden: Hidden | null } & RecordOrigin)
  | ({ readonly type: 'request' } & Omit<RequestRow, 'chat_id' | 'event'>)
  | { readonly type: 'message'; readonly interaction_id: string; readonly message: Message }
  | { readonly type: 'end' };

/** What is left out is the server's own business, or said by the chat's line. */
export type InteractionFields = Omit<ArchivedInteraction, 'chat_id' | 'signals' | 'cancel_reason'>;

export function formatLine(line: LogLine): string {
  return `${JSON.stringify(line)}\n`;
}
