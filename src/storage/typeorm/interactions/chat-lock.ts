import type { Statement } from '../connection/database.js';

/**
 * Rows are locked in this order, so that nobody locks anybody out: chats by id, then interactions by id, then requests. Who holds a chat
 * decides what is active in it, what is queued and where its head is.
 */
export const LOCK_CHAT: Statement = {
  name: 'chats.lock',
  text: 'SELECT id FROM chats WHERE id = $1 FOR UPDATE',
};

/** The chat of an interaction. */
export const LOCK_CHAT_OF: Statement = {
  name: 'chats.lock_of',
  text: 'SELECT id FROM chats WHERE id = (SELECT chat_id FROM interactions WHERE id = $1) FOR NO KEY UPDATE',
};

/** The chats of these interactions. */
export const LOCK_CHATS_OF: Statement = {
  text: `SELECT id FROM chats WHERE id IN (SELECT chat_id FROM interactions WHERE id = ANY ($1::text[]))
    ORDER BY id FOR NO KEY UPDATE`,
};
