import { INTERACTION_COLUMNS } from './interaction-row.js';
import type { Statement } from '../connection/database.js';
import { named } from '../named-statement.js';
import { inSeenChat, VIEWER } from '../viewer-sql.js';
import { IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/** Size in bytes of the columns that may be long. Doesn't decompress the message. */
const BYTES =
  '(octet_length(i.user_message) + octet_length(i.metadata::text) + octet_length(i.settings::text))';

/** The rows of a page up to the one with which they have more than `:bytes`, if that is set. */
function upToBytes(from: string, order: string): string {
  return `SELECT * FROM (
      SELECT ${INTERACTION_COLUMNS}, row_number() OVER (ORDER BY ${order}) AS place, sum(${BYTES}) OVER (ORDER BY ${order}) - ${BYTES} AS before
      ${from}
    ) i WHERE :bytes::bigint IS NULL OR i.before <= :bytes ORDER BY i.place`;
}

const PAGE = 'chat_uid, limit, before, bytes';

/**
 * Queued interactions of the chat, last first, then its active branch from the head, each before
 * `before` if that is set. Follows the parents only as far as the page needs. The offsets prevent
 * the planner from reading all interactions at once.
 */
export const LIST_ACTIVE = named({
  parameters: PAGE,
  text: `
    WITH RECURSIVE mark AS (
      SELECT id, parent_id, queue_rank, ${IS_QUEUED} AS is_queued FROM interactions WHERE id = :before AND chat_uid = :chat_uid
    ),
    waiting AS (
      SELECT i.id, i.queue_rank FROM interactions i WHERE i.chat_uid = :chat_uid AND i.${IS_QUEUED} AND (:before::text IS NULL OR EXISTS (
        SELECT FROM mark m WHERE m.is_queued AND (i.queue_rank, i.id) < (m.queue_rank, m.id)
      ))
    ),
    branch AS (
      SELECT p.*, 1 AS distance, (p.superseded_at IS NULL)::integer AS shown FROM chats c LEFT JOIN mark m ON true
      CROSS JOIN LATERAL (
        SELECT id, parent_id, superseded_at FROM interactions
        WHERE id = CASE WHEN :before::text IS NULL OR m.is_queued THEN c.head_interaction_id ELSE m.parent_id END OFFSET 0
      ) p WHERE c.uid = :chat_uid
      UNION ALL
      SELECT p.*, b.distance + 1, b.shown + (p.superseded_at IS NULL)::integer FROM branch b
      CROSS JOIN LATERAL (SELECT id, parent_id, superseded_at FROM interactions WHERE id = b.parent_id OFFSET 0) p
      WHERE b.shown < :limit
    ),
    page AS (
      SELECT id, 0 AS distance, queue_rank FROM waiting
      UNION ALL
      SELECT id, distance, NULL FROM branch WHERE superseded_at IS NULL
      ORDER BY distance, queue_rank DESC, id DESC LIMIT :limit
    )
    ${upToBytes('FROM page p CROSS JOIN LATERAL (SELECT * FROM interactions WHERE id = p.id OFFSET 0) i', 'p.distance, p.queue_rank DESC, i.id DESC')}`,
});

/** All interactions of the chat, on any branch, newest first: ids sort by time. */
export const LIST_ALL = named({
  name: 'interactions.list_all',
  parameters: PAGE,
  text: upToBytes(
    `FROM (SELECT * FROM interactions WHERE chat_uid = :chat_uid AND (:before::text IS NULL OR id < :before) ORDER BY id DESC LIMIT :limit) i`,
    'i.id DESC',
  ),
});

export const LIST_BEGUN = named({
  name: 'interactions.list_begun',
  parameters: 'chat_uid, limit, after',
  text: `SELECT i.id FROM interactions i WHERE i.chat_uid = :chat_uid AND NOT i.${IS_QUEUED}
    AND (:after::text IS NULL OR i.begun_no > (SELECT a.begun_no FROM interactions a WHERE a.id = :after)) ORDER BY i.begun_no LIMIT :limit`,
});

export const LAST_BEGUN: Statement = {
  name: 'interactions.last_begun',
  text: `SELECT id, last_seq FROM interactions WHERE chat_uid = $1 AND NOT ${IS_QUEUED} ORDER BY begun_no DESC LIMIT 1`,
};

const RUNS_ORDER = 'i.created_at, i.id';

const RUNS_PAGE = `statuses, chat_uid, limit, after_at, after_id, ${VIEWER}` as const;

const RUNS = `FROM interactions i WHERE (:tenant_id::text IS NULL OR i.tenant_id = :tenant_id) AND (i.${IS_ACTIVE} OR i.${IS_QUEUED}) AND i.status = ANY (:statuses::text[])
    AND (:chat_uid::uuid IS NULL OR i.chat_uid = :chat_uid) AND (:after_at::timestamptz IS NULL OR (i.created_at, i.id) > (:after_at, :after_id))
    AND ${inSeenChat('i')} ORDER BY ${RUNS_ORDER} LIMIT :limit`;

export const LIST_RUNS = named({
  parameters: `bytes, ${RUNS_PAGE}`,
  text: upToBytes(`FROM (SELECT i.* ${RUNS}) i`, RUNS_ORDER),
});

export const LIST_RUN_IDS = named({ parameters: RUNS_PAGE, text: `SELECT i.id ${RUNS}` });
