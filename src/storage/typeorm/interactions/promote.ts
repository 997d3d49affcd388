import type { Database, Statement } from '../connection/database.js';
import { beginInteractions, LOCK_CHAT, MARK_BRANCHES } from './chat-statements.js';
import { IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/**
 * Requires the lock of the chat. For `free (chat_uid, at)`: begins the first queued interaction of
 * the chat if none is active. A locked one is being cancelled, since only a cancel locks it without
 * the lock of its chat. The active interaction is queried as a scalar, so that the index is used.
 */
const PROMOTED = `
  next AS MATERIALIZED (
    SELECT q.id, free.at, c.head_interaction_id AS head FROM free CROSS JOIN LATERAL (
      SELECT i.id FROM interactions i WHERE i.chat_uid = free.chat_uid AND i.${IS_QUEUED} AND i.cancel_reason IS NULL
      ORDER BY i.queue_rank, i.id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) q JOIN chats c ON c.uid = free.chat_uid
    WHERE (SELECT a.id FROM interactions a WHERE a.chat_uid = free.chat_uid AND a.${IS_ACTIVE}) IS NULL
  ),
  begun AS (
    UPDATE interactions i SET status = 'RUNNING', queue_rank = NULL, last_seq = 1, begun_no = nextval('interactions_begun'),
      parent_id = CASE WHEN i.edited_from IS NULL THEN next.head ELSE i.parent_id END
    FROM next WHERE i.id = next.id RETURNING i.*, next.at
  ),
  ${beginInteractions()},
  heads AS (SELECT chat_uid, id, parent_id, at FROM begun WHERE edited_from IS NOT NULL),
  ${MARK_BRANCHES}
  SELECT id FROM begun`;

/** In the chat `$1`, at `$2`. */
const PROMOTE: Statement = {
  name: 'queue.promote',
  text: `WITH RECURSIVE free AS (SELECT $1::uuid AS chat_uid, $2::timestamptz AS at), ${PROMOTED}`,
};

/**
 * After the end of the interaction `$1`, if it has ended: closes its pending requests and begins
 * the next interaction of its chat. Does not mention `pending`, so that no plan searches all
 * pending requests.
 */
export const LEAVE_CHAT: Statement = {
  name: 'queue.leave_chat',
  text: `
    WITH RECURSIVE free AS (SELECT chat_uid, completed_at AS at FROM interactions WHERE id = $1 AND completed_at IS NOT NULL),
    closed AS (
      UPDATE requests r SET status = 'closed', settled_at = free.at FROM free
      WHERE r.interaction_id = $1 AND r.settled_at IS NULL
    ),
    ${PROMOTED}`,
};

/**
 * After the end of the interaction `$1`: the active interaction of its chat. Finds also one that
 * was promoted by an earlier attempt to write the end, if the answer to that attempt was lost.
 */
export const FIND_PROMOTED: Statement = {
  text: `SELECT a.id FROM interactions e JOIN interactions a ON a.chat_uid = e.chat_uid AND a.${IS_ACTIVE}
    WHERE e.id = $1 AND e.completed_at IS NOT NULL`,
};

/** Chats that one call promotes; the next call promotes more. */
const BATCH = 200;

/** Chats with queued interactions and no active one. In the order of the index of the queues. */
const LIST_PROMOTABLE: Statement = {
  text: `SELECT DISTINCT q.chat_uid FROM interactions q WHERE q.${IS_QUEUED} AND q.cancel_reason IS NULL
    AND NOT EXISTS (SELECT FROM interactions a WHERE a.chat_uid = q.chat_uid AND a.${IS_ACTIVE})
    ORDER BY q.chat_uid LIMIT ${BATCH}`,
};

/** Promotes queued interactions that were not promoted when their predecessor ended. */
export async function promoteQueued(db: Database, at: string, chatUid?: string): Promise<string[]> {
  if (chatUid !== undefined) return promoteIn(db, chatUid, at);
  const promoted: string[] = [];
  for (const { chat_uid } of await db.query<{ chat_uid: string }>(LIST_PROMOTABLE, []))
    promoted.push(...(await promoteIn(db, chat_uid, at)));
  return promoted;
}

async function promoteIn(db: Database, chatUid: string, at: string): Promise<string[]> {
  const [, begun] = await db.batch<{ id: string }>([
    [LOCK_CHAT, [chatUid]],
    [PROMOTE, [chatUid, at]],
  ]);
  return begun!.map(({ id }) => id);
}
