import type { NewChat } from '../../../persistence/rows/chat-rows.js';
import type { Statement } from '../connection/database.js';
import { asParameters } from '../named-statement.js';
import { HAS_BEGUN, IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/**
 * Lock order, against deadlocks: chats by uid, then interactions by id, then requests. The lock of
 * a chat protects its active interaction, its queue and its head.
 */
export const LOCK_CHAT: Statement = {
  name: 'chats.lock',
  text: 'SELECT uid FROM chats WHERE uid = $1 FOR UPDATE',
};

/** The parameters of `INSERT_CHAT`. */
export const NEW_CHAT =
  'uid, tenant_id, id, owner, visibility, title, created_at, settings, messages, metadata, master_key_id, data_key';

export const INSERT_CHAT = `
    INSERT INTO chats (${NEW_CHAT}, updated_at)
    VALUES (${asParameters(NEW_CHAT)}, :created_at)`;

export function chatValues({ data_key, messages = [], ...chat }: NewChat) {
  return {
    ...chat,
    settings: JSON.stringify(chat.settings),
    messages: JSON.stringify(messages),
    metadata: JSON.stringify(chat.metadata),
    master_key_id: data_key?.master_key_id,
    data_key: data_key?.wrapped,
  };
}

/** The chat `$2` of the tenant `$1`. */
export const LOCK_NAMED_CHAT: Statement = {
  name: 'chats.lock_named',
  text: 'SELECT uid FROM chats WHERE tenant_id = $1 AND id = $2 FOR UPDATE',
};

/** The chat of an interaction. */
export const LOCK_CHAT_OF: Statement = {
  name: 'chats.lock_of',
  text: 'SELECT uid FROM chats WHERE uid = (SELECT chat_uid FROM interactions WHERE id = $1) FOR NO KEY UPDATE',
};

/** The chats of these interactions. */
export const LOCK_CHATS_OF: Statement = {
  text: `SELECT uid FROM chats WHERE uid IN (SELECT chat_uid FROM interactions WHERE id = ANY ($1::text[]))
    ORDER BY uid FOR NO KEY UPDATE`,
};

const BODY = `
  'type', 'INTERACTION_STARTED', 'chat_id', chat_id, 'user_message', user_message, 'agent', agent, 'model', model, 'parent_id', parent_id`;
const BY = `'by', json_build_object('kind', 'user', 'user_id', started_by)`;

/**
 * Begins the interactions of `begun` (their columns, and `at`): writes record 1, and makes them the
 * heads of their chats.
 * @param texts further changes of their chats `c`
 */
export function beginInteractions(texts = ''): string {
  return `
  first AS (
    INSERT INTO records (interaction_id, seq, epoch, agent_id, type, at, body)
    SELECT id, 1, epoch, agent_id, 'INTERACTION_STARTED', at, CASE WHEN edited_from IS NULL
      THEN json_build_object(${BODY}, ${BY}) ELSE json_build_object(${BODY}, 'edited_from', edited_from, ${BY}) END
    FROM begun
  ),
  headed AS (
    UPDATE chats c SET head_interaction_id = b.id, updated_at = b.at${texts} FROM begun b WHERE c.uid = b.chat_uid
  )`;
}

/**
 * After the end of the interaction `$1` at `$2`, if it is the head of its chat: `$3` is the new
 * preview, unless null. The chat is queried as a scalar, so that the index is used.
 */
export const NOTE_END: Statement = {
  name: 'chats.note_end',
  text: `UPDATE chats c SET updated_at = greatest(c.updated_at, $2::timestamptz), preview = coalesce($3, c.preview)
    WHERE c.uid = (SELECT chat_uid FROM interactions WHERE id = $1 AND completed_at = $2::timestamptz) AND c.head_interaction_id = $1`,
};

/**
 * Makes the branches of `heads (chat_uid, id, parent_id, at)` the active ones of their chats. The
 * same statement may insert the heads, and does not see them. A queued interaction is on no branch
 * yet. The offset prevents the planner from reading all interactions at once.
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
    WHERE i.chat_uid = h.chat_uid AND NOT i.${IS_QUEUED} AND (i.superseded_at IS NULL) = (i.id NOT IN (SELECT id FROM branch))
  )`;

/** The branch of an interaction that is now the head of its chat, as of `$2`. */
export const MARK_BRANCH_OF: Statement = {
  name: 'branches.mark',
  text: `
    WITH RECURSIVE heads AS (
      SELECT c.uid AS chat_uid, i.id, i.parent_id, $2::timestamptz AS at FROM interactions i
      JOIN chats c ON c.uid = i.chat_uid AND c.head_interaction_id = i.id WHERE i.id = $1
    ),
    ${MARK_BRANCHES}
    SELECT`,
};

/** Requires the lock of the chat. Switches only to an interaction that has begun. */
export const SWITCH_HEAD: Statement = {
  text: `
    WITH RECURSIVE target AS (
      SELECT id, parent_id FROM interactions WHERE id = $2 AND chat_uid = $1 AND ${HAS_BEGUN}
    ),
    busy AS (SELECT FROM interactions WHERE chat_uid = $1 AND (${IS_ACTIVE} OR ${IS_QUEUED})),
    heads AS (
      UPDATE chats c SET head_interaction_id = t.id FROM target t
      WHERE c.uid = $1 AND NOT EXISTS (SELECT FROM busy) RETURNING c.uid AS chat_uid, t.id, t.parent_id, $3::timestamptz AS at
    ),
    ${MARK_BRANCHES}
    SELECT EXISTS (SELECT FROM target) AS known, EXISTS (SELECT FROM heads) AS switched`,
};
