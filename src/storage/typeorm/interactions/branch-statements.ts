import type { Statement } from '../connection/database.js';
import { HAS_BEGUN, IS_ACTIVE, IS_QUEUED } from './predicates.js';

/**
 * Makes the branches of `heads (chat_id, id, parent_id, at)` the active ones of their chats. The heads themselves may be made by the same
 * statement, which doesn't see them. What is queued is on no branch yet. The offset keeps the planner from reading all interactions at once.
 */
export const MARK_BRANCHES = `
  branch AS (
    SELECT id, parent_id FROM heads
    UNION ALL
    SELECT p.id, p.parent_id FROM branch b CROSS JOIN LATERAL (
      SELECT id, parent_id FROM interactions WHERE id = b.parent_id OFFSET 0
    ) p
  ),
  marked AS (
    UPDATE interactions i SET superseded_at = CASE WHEN i.superseded_at IS NULL THEN h.at END FROM heads h
    WHERE i.chat_id = h.chat_id AND NOT i.${IS_QUEUED} AND (i.superseded_at IS NULL) = (i.id NOT IN (SELECT id FROM branch))
  )`;

/** Of an interaction that has become its chat's head, as of `$2`. */
export const MARK_BRANCH_OF: Statement = {
  name: 'branches.mark',
  text: `
    WITH RECURSIVE heads AS (
      SELECT c.id AS chat_id, i.id, i.parent_id, $2::timestamptz AS at FROM interactions i
      JOIN chats c ON c.id = i.chat_id AND c.head_interaction_id = i.id WHERE i.id = $1
    ),
    ${MARK_BRANCHES}
    SELECT`,
};

/** Under the chat's lock: only to what has begun. */
export const SWITCH_HEAD: Statement = {
  text: `
    WITH RECURSIVE target AS (
      SELECT id, parent_id FROM interactions WHERE id = $2 AND chat_id = $1 AND ${HAS_BEGUN}
    ),
    busy AS (SELECT FROM interactions WHERE chat_id = $1 AND (${IS_ACTIVE} OR ${IS_QUEUED})),
    heads AS (
      UPDATE chats c SET head_interaction_id = t.id FROM target t
      WHERE c.id = $1 AND NOT EXISTS (SELECT FROM busy) RETURNING c.id AS chat_id, t.id, t.parent_id, $3::timestamptz AS at
    ),
    ${MARK_BRANCHES}
    SELECT EXISTS (SELECT FROM target) AS known, EXISTS (SELECT FROM heads) AS switched`,
};
