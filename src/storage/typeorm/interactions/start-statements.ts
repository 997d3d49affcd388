import { MAX_QUEUED } from '../../../persistence/rows/start-rows.js';
import { INSERT_CHAT, NEW_CHAT, beginInteractions } from './chat-statements.js';
import { isSeen } from '../viewer-sql.js';
import type { Statement } from '../connection/database.js';
import { named } from '../connection/named-statement.js';
import { cancelledBy, IS_ACTIVE, IS_QUEUED } from './interaction-row.js';
import { EXCEEDED, quotaUsage } from './quota-statements.js';

/**
 * Creates the chat if it is new, and locks it in any case: an update whose WHERE is false still
 * locks the row. Returns a row if it is new.
 */
export const HOLD_CHAT = named({
  name: 'start.hold_chat',
  parameters: NEW_CHAT,
  text: `${INSERT_CHAT}
    ON CONFLICT (tenant_id, id) DO UPDATE SET updated_at = excluded.updated_at WHERE false RETURNING id`,
});

const OF_CHAT = 'chat_uid = (SELECT uid FROM chat)';

/**
 * Decides the outcome: `$2` is the chat, `$13` the idempotency key, `$15` the edited interaction,
 * `$16` the conflict policy, `$18`…`$21` the viewer, `$24` the chat that the texts are sealed for,
 * `$25` its key if it is new. The uid of the chat is queried as a scalar, so that the indexes are
 * used.
 */
const DECIDED = `
  chat AS MATERIALIZED (
    SELECT uid, head_interaction_id, data_key, ${isSeen('chats', 18)} AS is_seen FROM chats WHERE tenant_id = $19 AND id = $2
  ),
  seen AS (SELECT id, idempotency_fingerprint AS fingerprint FROM interactions WHERE ${OF_CHAT} AND idempotency_key = $13),
  edited AS (SELECT id, parent_id, ${IS_QUEUED} AS is_queued FROM interactions WHERE id = $15 AND ${OF_CHAT}),
  active AS (SELECT id FROM interactions WHERE ${OF_CHAT} AND ${IS_ACTIVE}),
  queue AS (
    SELECT count(*) AS length, min(queue_rank) AS first, max(queue_rank) AS last FROM interactions
    WHERE ${OF_CHAT} AND ${IS_QUEUED}
  ),
  decided AS MATERIALIZED (
    SELECT CASE
        WHEN NOT c.is_seen THEN 'hidden'
        WHEN seen.id IS NOT NULL THEN 'seen'
        WHEN $15 IS NOT NULL AND edited.id IS NULL THEN 'unknown_edit'
        WHEN edited.is_queued THEN 'edits_queued'
        WHEN c.uid IS NULL OR c.uid <> $24::uuid OR c.data_key IS DISTINCT FROM coalesce($25, c.data_key) THEN 'other_chat'
        WHEN active.id IS NULL AND queue.length = 0 THEN 'started'
        WHEN $16 = 'reject' THEN 'busy'
        WHEN queue.length >= ${MAX_QUEUED} THEN 'queue_full'
        ELSE 'queued'
      END AS outcome,
      c.uid AS chat_uid, seen.id AS seen_id, seen.fingerprint, active.id AS active_id,
      CASE WHEN $16 = 'interrupt' THEN queue.first - 1 ELSE queue.last + 1 END AS rank,
      CASE WHEN $15 IS NULL THEN c.head_interaction_id ELSE edited.parent_id END AS parent_id
    FROM queue LEFT JOIN chat c ON true
      LEFT JOIN seen ON true LEFT JOIN edited ON true LEFT JOIN active ON true
  )`;

const VERDICT = `${DECIDED},
  verdict AS (SELECT *, NULL AS quota, NULL AS oldest FROM decided)`;

/** `$26`…`$28` are the quotas. */
const VERDICT_WITHIN_QUOTA = `${DECIDED},
  ${quotaUsage({ tenant: 19, quota: 26 })},
  verdict AS MATERIALIZED (
    SELECT CASE WHEN d.outcome IN ('started', 'queued') AND ${EXCEEDED} THEN 'quota_exceeded' ELSE d.outcome END AS outcome,
      d.chat_uid, d.seen_id, d.fingerprint, d.active_id, d.rank, d.parent_id, u.quota, u.oldest
    FROM decided d CROSS JOIN quota_usage u
  )`;

/**
 * The new row. An interaction that begins gets its parent, and its lease if requested; a queued one
 * gets its rank, and a parent only if it is an edit.
 */
const ENTERED = `
  entered AS (
    INSERT INTO interactions (id, chat_uid, chat_id, tenant_id, started_by, user_message, agent, agent_id, model, settings, created_at, metadata, idempotency_key,
      idempotency_fingerprint, edited_from, started_at, bytes, status, queue_rank, parent_id, last_seq, epoch, owner, lease_until)
    SELECT $1, v.chat_uid, $2, $19, $21, $3, $4, $5, $6, $7::json, $8::timestamptz, $9::json, $13, $14, $15, $8::timestamptz,
      octet_length($3::text) + octet_length($7::json::text) + octet_length($9::json::text), n.*
    FROM verdict v CROSS JOIN LATERAL (
      SELECT 'RUNNING', NULL::integer, v.parent_id, 1, $10::integer, $11, clock_timestamp() + $12::integer * interval '1 millisecond'
      WHERE v.outcome = 'started'
      UNION ALL
      SELECT 'QUEUED', coalesce(v.rank, 0), CASE WHEN $15 IS NOT NULL THEN v.parent_id END, 0, 0, NULL, NULL
      WHERE v.outcome = 'queued'
    ) n
    RETURNING *
  )`;

/**
 * Requires the lock of the chat. Returns the new interaction, begun or queued, or the obstacle.
 * `$17` is the cancel reason of an interrupted one, `$21` the user; `$22` and `$23` are the title,
 * unless the chat has one, and the preview of the chat.
 */
export const START: Statement = { name: 'start.start', text: start(VERDICT) };

/** The same within the quotas of the tenant; requires `LOCK_QUOTA` too. */
export const START_WITHIN_QUOTA: Statement = {
  name: 'start.start_within_quota',
  text: start(VERDICT_WITHIN_QUOTA),
};

/** Removes the chat `$1` that `HOLD_CHAT` created for a start that its quota refused. */
export const DROP_EMPTY_CHAT: Statement = {
  name: 'start.drop_empty_chat',
  text: 'DELETE FROM chats WHERE uid = $1 AND NOT EXISTS (SELECT FROM interactions WHERE chat_uid = $1)',
};

function start(verdict: string): string {
  return `
    WITH ${verdict},
    ${ENTERED},
    begun AS (SELECT *, created_at AS at FROM entered WHERE NOT ${IS_QUEUED}),
    ${beginInteractions(', title = coalesce(c.title, $22), preview = $23')},
    interrupted AS (
      UPDATE interactions i SET ${cancelledBy('$17', '$21')}
      FROM verdict v WHERE v.outcome = 'queued' AND $16 = 'interrupt' AND i.id = v.active_id RETURNING i.id
    )
    SELECT v.outcome, v.chat_uid, v.seen_id, v.fingerprint, e.parent_id, (SELECT id FROM interrupted) AS interrupted, v.quota, v.oldest,
      CASE WHEN v.outcome = 'busy' THEN coalesce(v.active_id, (
        SELECT id FROM interactions WHERE ${OF_CHAT} AND ${IS_QUEUED} ORDER BY queue_rank, id LIMIT 1
      )) END AS busy_id
    FROM verdict v LEFT JOIN entered e ON true`;
}
