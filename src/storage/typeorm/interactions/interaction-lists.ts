import { INTERACTION_COLUMNS } from './interaction-row.js';
import type { Statement } from '../connection/database.js';
import { inSeenChat } from '../viewer-sql.js';
import { IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/** Of what may be long in a row. Doesn't decompress the message. */
const BYTES =
  '(octet_length(i.user_message) + octet_length(i.metadata::text) + octet_length(i.settings::text))';

/** The rows of a page up to the one with which they have more bytes than `most`, if that is set. */
function upToBytes(from: string, order: string, most = '$4'): string {
  return `SELECT * FROM (
      SELECT ${INTERACTION_COLUMNS}, row_number() OVER (ORDER BY ${order}) AS place, sum(${BYTES}) OVER (ORDER BY ${order}) - ${BYTES} AS before
      ${from}
    ) i WHERE ${most}::bigint IS NULL OR i.before <= ${most} ORDER BY i.place`;
}

/**
 * Queued interactions of the chat `$1`, last first, then its active branch from the head: at most
 * `$2`, before `$3` if set. Follows the parents only as far as the page needs. The offsets prevent
 * the planner from reading all interactions at once.
 */
export const LIST_ACTIVE: Statement = {
  text: `
    WITH RECURSIVE mark AS (
      SELECT id, parent_id, queue_rank, ${IS_QUEUED} AS is_queued FROM interactions WHERE id = $3 AND chat_uid = $1
    ),
    waiting AS (
      SELECT i.id, i.queue_rank FROM interactions i WHERE i.chat_uid = $1 AND i.${IS_QUEUED} AND ($3::text IS NULL OR EXISTS (
        SELECT FROM mark m WHERE m.is_queued AND (i.queue_rank, i.id) < (m.queue_rank, m.id)
      ))
    ),
    branch AS (
      SELECT p.*, 1 AS distance, (p.superseded_at IS NULL)::integer AS shown FROM chats c LEFT JOIN mark m ON true
      CROSS JOIN LATERAL (
        SELECT id, parent_id, superseded_at FROM interactions
        WHERE id = CASE WHEN $3::text IS NULL OR m.is_queued THEN c.head_interaction_id ELSE m.parent_id END OFFSET 0
      ) p WHERE c.uid = $1
      UNION ALL
      SELECT p.*, b.distance + 1, b.shown + (p.superseded_at IS NULL)::integer FROM branch b
      CROSS JOIN LATERAL (SELECT id, parent_id, superseded_at FROM interactions WHERE id = b.parent_id OFFSET 0) p
      WHERE b.shown < $2
    ),
    page AS (
      SELECT id, 0 AS distance, queue_rank FROM waiting
      UNION ALL
      SELECT id, distance, NULL FROM branch WHERE superseded_at IS NULL
      ORDER BY distance, queue_rank DESC, id DESC LIMIT $2
    )
    ${upToBytes('FROM page p CROSS JOIN LATERAL (SELECT * FROM interactions WHERE id = p.id OFFSET 0) i', 'p.distance, p.queue_rank DESC, i.id DESC')}`,
};

/** All interactions of the chat `$1`, on any branch, newest first: ids sort by time. */
export const LIST_ALL: Statement = {
  name: 'interactions.list_all',
  text: upToBytes(
    `FROM (SELECT * FROM interactions WHERE chat_uid = $1 AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $2) i`,
    'i.id DESC',
  ),
};

/** Of the chat `$1`, at most `$2`, after `$3` if set. */
export const LIST_BEGUN: Statement = {
  name: 'interactions.list_begun',
  text: `SELECT i.id FROM interactions i WHERE i.chat_uid = $1 AND NOT i.${IS_QUEUED}
    AND ($3::text IS NULL OR i.begun_no > (SELECT a.begun_no FROM interactions a WHERE a.id = $3)) ORDER BY i.begun_no LIMIT $2`,
};

export const LAST_BEGUN: Statement = {
  name: 'interactions.last_begun',
  text: `SELECT id, last_seq FROM interactions WHERE chat_uid = $1 AND NOT ${IS_QUEUED} ORDER BY begun_no DESC LIMIT 1`,
};

const RUNS_ORDER = 'i.created_at, i.id';

/**
 * Of the tenant `$1`, or of all if it is null, with the statuses `$2`, in the chat `$3` if set, at
 * most `$4`, after `$5` `$6` if set, for the viewer `$7`…`$10`.
 */
const RUNS = `FROM interactions i WHERE ($1::text IS NULL OR i.tenant_id = $1) AND (i.${IS_ACTIVE} OR i.${IS_QUEUED}) AND i.status = ANY ($2::text[])
    AND ($3::uuid IS NULL OR i.chat_uid = $3) AND ($5::timestamptz IS NULL OR (i.created_at, i.id) > ($5, $6))
    AND ${inSeenChat('i', 7)} ORDER BY ${RUNS_ORDER} LIMIT $4`;

export const LIST_RUNS: Statement = {
  text: upToBytes(`FROM (SELECT i.* ${RUNS}) i`, RUNS_ORDER, '$11'),
};

export const LIST_RUN_IDS: Statement = { text: `SELECT i.id ${RUNS}` };
