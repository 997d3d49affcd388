import { MAX_QUEUED } from '../../../persistence/rows/start-rows.js';
import { INSERT_CHAT, NEW_CHAT, beginInteractions } from './chat-statements.js';
import { isSeen, VIEWER } from '../viewer-sql.js';
import type { Statement } from '../connection/database.js';
import { named } from '../named-statement.js';
import { CANCELLED, IS_ACTIVE, IS_QUEUED } from './interaction-row.js';
import { EXCEEDED, QUOTA_USAGE, QUOTAS } from './quota-statements.js';

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

/** The new interaction, with its lease if requested. */
const INTERACTION_PARAMETERS =
  'id, chat_id, user_message, agent, agent_id, model, settings, created_at, metadata, idempotency_key, idempotency_fingerprint, edited_from, epoch, owner, ttl_ms';
/** The title is for a chat without one, the key for a new one. */
const CHAT_PARAMETERS = 'title, preview, sealed_for, data_key';
const PARAMETERS =
  `${INTERACTION_PARAMETERS}, ${CHAT_PARAMETERS}, on_conflict, cancel_reason, ${VIEWER}` as const;

/**
 * Decides the outcome. The uid of the chat is queried as a scalar, so that the indexes are used.
 */
const DECIDED = `
  chat AS MATERIALIZED (
    SELECT uid, head_interaction_id, data_key, ${isSeen('chats')} AS is_seen FROM chats WHERE tenant_id = :tenant_id AND id = :chat_id
  ),
  seen AS (SELECT id, idempotency_fingerprint AS fingerprint FROM interactions WHERE ${OF_CHAT} AND idempotency_key = :idempotency_key),
  edited AS (SELECT id, parent_id, ${IS_QUEUED} AS is_queued FROM interactions WHERE id = :edited_from AND ${OF_CHAT}),
  active AS (SELECT id FROM interactions WHERE ${OF_CHAT} AND ${IS_ACTIVE}),
  queue AS (
    SELECT count(*) AS length, min(queue_rank) AS first, max(queue_rank) AS last FROM interactions
    WHERE ${OF_CHAT} AND ${IS_QUEUED}
  ),
  decided AS MATERIALIZED (
    SELECT CASE
        WHEN NOT c.is_seen THEN 'hidden'
        WHEN seen.id IS NOT NULL THEN 'seen'
        WHEN :edited_from IS NOT NULL AND edited.id IS NULL THEN 'unknown_edit'
        WHEN edited.is_queued THEN 'edits_queued'
        WHEN c.uid IS NULL OR c.uid <> :sealed_for::uuid OR c.data_key IS DISTINCT FROM coalesce(:data_key, c.data_key) THEN 'other_chat'
        WHEN active.id IS NULL AND queue.length = 0 THEN 'started'
        WHEN :on_conflict = 'reject' THEN 'busy'
        WHEN queue.length >= ${MAX_QUEUED} THEN 'queue_full'
        ELSE 'queued'
      END AS outcome,
      c.uid AS chat_uid, seen.id AS seen_id, seen.fingerprint, active.id AS active_id,
      CASE WHEN :on_conflict = 'interrupt' THEN queue.first - 1 ELSE queue.last + 1 END AS rank,
      CASE WHEN :edited_from IS NULL THEN c.head_interaction_id ELSE edited.parent_id END AS parent_id
    FROM queue LEFT JOIN chat c ON true
      LEFT JOIN seen ON true LEFT JOIN edited ON true LEFT JOIN active ON true
  )`;

const VERDICT = `${DECIDED},
  verdict AS (SELECT *, NULL AS quota, NULL AS oldest FROM decided)`;

const VERDICT_WITHIN_QUOTA = `${DECIDED},
  ${QUOTA_USAGE},
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
    SELECT :id, v.chat_uid, :chat_id, :tenant_id, :user_id, :user_message, :agent, :agent_id, :model, :settings::json, :created_at::timestamptz, :metadata::json,
      :idempotency_key, :idempotency_fingerprint, :edited_from, :created_at::timestamptz,
      octet_length(:user_message::text) + octet_length(:settings::json::text) + octet_length(:metadata::json::text), n.*
    FROM verdict v CROSS JOIN LATERAL (
      SELECT 'RUNNING', NULL::integer, v.parent_id, 1, :epoch::integer, :owner, clock_timestamp() + :ttl_ms::integer * interval '1 millisecond'
      WHERE v.outcome = 'started'
      UNION ALL
      SELECT 'QUEUED', coalesce(v.rank, 0), CASE WHEN :edited_from IS NOT NULL THEN v.parent_id END, 0, 0, NULL, NULL
      WHERE v.outcome = 'queued'
    ) n
    RETURNING *
  )`;

/** Requires the lock of the chat. Returns the new interaction, begun or queued, or the obstacle. */
export const START = named({
  name: 'start.start',
  parameters: PARAMETERS,
  text: start(VERDICT),
});

/** The same within the quotas of the tenant; requires `LOCK_QUOTA` too. */
export const START_WITHIN_QUOTA = named({
  name: 'start.start_within_quota',
  parameters: `${PARAMETERS}, ${QUOTAS}`,
  text: start(VERDICT_WITHIN_QUOTA),
});

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
    ${beginInteractions(', title = coalesce(c.title, :title), preview = :preview')},
    interrupted AS (
      UPDATE interactions i SET ${CANCELLED}
      FROM verdict v WHERE v.outcome = 'queued' AND :on_conflict = 'interrupt' AND i.id = v.active_id RETURNING i.id
    )
    SELECT v.outcome, v.chat_uid, v.seen_id, v.fingerprint, e.parent_id, (SELECT id FROM interrupted) AS interrupted, v.quota, v.oldest,
      CASE WHEN v.outcome = 'busy' THEN coalesce(v.active_id, (
        SELECT id FROM interactions WHERE ${OF_CHAT} AND ${IS_QUEUED} ORDER BY queue_rank, id LIMIT 1
      )) END AS busy_id
    FROM verdict v LEFT JOIN entered e ON true`;
}
