import { AppError } from '../kernel/app-error.js';
import { START, formatCursor } from '../protocol/cursor.js';
import type { Cursor } from '../protocol/cursor.js';
import { readCursor } from '../interactions/events.service.js';
import type { SentCursor } from '../interactions/events.service.js';

/** A position in one of the interactions of a chat; on the wire `<interaction_id>/<cursor>`. */
export interface ChatCursor {
  readonly interaction_id: string;
  readonly cursor: Cursor;
}

/** The cursor of a chat in which nothing had begun. */
export const BEFORE_ALL = '0';

const ID = /^[A-Za-z0-9_-]{1,64}$/;

export function formatChatCursor({ interaction_id, cursor }: ChatCursor): string {
  return `${interaction_id}/${formatCursor(cursor.seq, cursor.offsets)}`;
}

export function startOf(interaction_id: string): ChatCursor {
  return { interaction_id, cursor: START };
}

/**
 * Undefined: before everything.
 * @throws AppError `invalid_cursor` (400)
 */
export function parseChatCursor({ field, text }: SentCursor): ChatCursor | undefined {
  if (text === BEFORE_ALL) return undefined;
  const slash = text.indexOf('/');
  const interaction_id = text.slice(0, Math.max(slash, 0));
  if (!ID.test(interaction_id)) throw invalidCursor(field);
  return { interaction_id, cursor: readCursor({ field, text: text.slice(slash + 1) }) };
}

/**
 * Also for the cursor of another chat, of a deleted one, and of one that the caller must not see.
 */
export function invalidCursor(field: string): AppError {
  const message =
    'is no cursor of this chat. Send the id of the last event you received, unchanged, or none to begin with what runs now.';
  return new AppError('invalid', 'invalid_cursor', `${field} ${message}`, {
    errors: [{ field, message }],
  });
}

export function cursorAhead(field: string): AppError {
  const message = 'is ahead of the end of its interaction: it has no such event.';
  return new AppError('invalid', 'cursor_ahead', `${field} ${message}`, {
    errors: [{ field, message }],
  });
}
