import type { Statement } from '../connection/database.js';
import { named } from '../named-statement.js';
import { IS_QUEUED, MAY_RUN } from '../interactions/interaction-row.js';

/** The parameters of `RECORDS`: arrays with an item for each record. */
const RECORD_PARAMETERS = 'batches, seqs, agent_ids, keys, types, times, bodies, hidden';

/**
 * The records of all batches, one row each; `batch` is the number of its batch, from 1. Bodies
 * travel as one JSON array, split as text: `json_array_elements` keeps key order, U+0000 and lone
 * surrogates, which every conversion of JSON to text or records refuses.
 */
const RECORDS = `ROWS FROM (unnest(:batches::integer[]), unnest(:seqs::integer[]), unnest(:agent_ids::text[]), unnest(:keys::text[]), unnest(:types::text[]),
    unnest(:times::timestamptz[]), json_array_elements(:bodies::json), json_array_elements(:hidden::json))
  AS r (batch, seq, agent_id, key, type, at, body, hidden)`;

/** Inserts the records of the batches that `written` numbers. */
const APPENDED = `
  appended AS (
    INSERT INTO records (interaction_id, seq, epoch, agent_id, key, type, at, body, hidden)
    SELECT w.id, r.seq, w.epoch, r.agent_id, r.key, r.type, r.at, r.body, r.hidden FROM ${RECORDS} JOIN written w ON w.number = r.batch
  )`;

/** The parameters of `ASKED`: arrays with an item for each request. */
const REQUEST_PARAMETERS =
  'request_batches, request_ids, request_keys, request_kinds, request_agent_ids, request_times, request_expiries, request_events';

/** The requests of all batches; a run that repeats a step finds its request there. */
const ASKED = `
  asked AS (
    INSERT INTO requests (interaction_id, chat_uid, chat_id, tenant_id, id, key, kind, agent_id, created_at, expires_at, event)
    SELECT w.id, w.chat_uid, w.chat_id, w.tenant_id, r.id, r.key, r.kind, r.agent_id, r.created_at, r.expires_at, r.event
    FROM ROWS FROM (unnest(:request_batches::integer[]), unnest(:request_ids::text[]), unnest(:request_keys::text[]), unnest(:request_kinds::text[]),
        unnest(:request_agent_ids::text[]), unnest(:request_times::timestamptz[]), unnest(:request_expiries::timestamptz[]), json_array_elements(:request_events::json))
      AS r (batch, id, key, kind, agent_id, created_at, expires_at, event) JOIN written w ON w.number = r.batch
    ON CONFLICT (interaction_id, key) DO NOTHING
  )`;

/**
 * The changes of a batch `b` to its row. An interaction that ends in the queue was never on the
 * branch of its chat, and keeps its rank.
 */
const CHANGES = `
  last_seq = coalesce(b.last_seq, i.last_seq),
  progressed = i.progressed OR b.progressed,
  status = coalesce(b.status, i.status),
  input_tokens = coalesce(b.input_tokens, i.input_tokens),
  output_tokens = coalesce(b.output_tokens, i.output_tokens),
  cached_tokens = coalesce(b.cached_tokens, i.cached_tokens),
  cache_write_tokens = coalesce(b.cache_write_tokens, i.cache_write_tokens),
  reasoning_tokens = coalesce(b.reasoning_tokens, i.reasoning_tokens),
  cost_usd = coalesce(b.cost_usd, i.cost_usd),
  usage_by_model = coalesce(b.usage_by_model::json, i.usage_by_model),
  error = CASE WHEN b.completed_at IS NULL THEN i.error ELSE b.error::json END,
  completed_at = coalesce(b.completed_at, i.completed_at),
  added_messages = CASE WHEN b.completed_at IS NULL THEN i.added_messages ELSE b.added_messages::json END,
  bytes = i.bytes + b.bytes,
  final_bytes = CASE WHEN b.completed_at IS NULL THEN i.final_bytes ELSE i.bytes + b.bytes END,
  owner = CASE WHEN b.completed_at IS NULL THEN i.owner END,
  lease_until = CASE WHEN b.completed_at IS NULL THEN i.lease_until END,
  begun_no = CASE WHEN i.${IS_QUEUED} AND b.completed_at IS NOT NULL THEN nextval('interactions_begun') ELSE i.begun_no END,
  superseded_at = CASE WHEN i.${IS_QUEUED} THEN b.completed_at ELSE i.superseded_at END`;

/**
 * Only the run of this epoch may append (I6), to a log that ends right before the batch (I1).
 * Checked on the newest version of a locked row: a join on the snapshot of the statement would
 * admit a run that lost its lease meanwhile.
 */
const FENCE = `i.epoch = b.epoch AND i.last_seq = coalesce(b.after_seq, i.last_seq) AND ${MAY_RUN}`;

const BATCH_COLUMNS =
  'id, epoch, after_seq, last_seq, status, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd, usage_by_model, completed_at, error, added_messages, progressed, bytes';

const BATCH = `:id::text, :epoch::integer, :after_seq::integer, :last_seq::integer, :status::text, :input_tokens::bigint, :output_tokens::bigint,
      :cached_tokens::bigint, :cache_write_tokens::bigint, :reasoning_tokens::bigint, :cost_usd::float8, :usage_by_model::text,
      :completed_at::timestamptz, :error::text, :added_messages::text, :progressed::boolean, :bytes::bigint`;

const BATCHES = BATCH.replace(/::[a-z0-9]+/g, '$&[]');

const GROUP = `
  WITH b AS MATERIALIZED (
    SELECT b.* FROM unnest(${BATCHES}) WITH ORDINALITY AS b (${BATCH_COLUMNS}, number)
    JOIN interactions i ON i.id = b.id WHERE ${FENCE}
    ORDER BY b.id FOR UPDATE OF i SKIP LOCKED
  ),
  written AS (UPDATE interactions i SET ${CHANGES} FROM b WHERE i.id = b.id RETURNING i.id, i.epoch, i.chat_uid, i.chat_id, i.tenant_id, b.number)`;

const ONE = `
  WITH written AS (
    UPDATE interactions i SET ${CHANGES}
    FROM (VALUES (${BATCH})) AS b (${BATCH_COLUMNS})
    WHERE i.id = :id AND ${FENCE} RETURNING i.id, i.epoch, i.chat_uid, i.chat_id, i.tenant_id, 1 AS number
  )`;

const PARAMETERS = `${RECORD_PARAMETERS}, ${BATCH_COLUMNS}` as const;
const PARAMETERS_ASKING = `${PARAMETERS}, ${REQUEST_PARAMETERS}` as const;

const ANSWER = 'SELECT number::integer FROM written';

/**
 * Appends to many interactions in one commit; returns the numbers of the written batches. Skips
 * locked rows, so that no batch waits for another and groups cannot deadlock.
 */
export const APPEND_GROUP = named({
  parameters: PARAMETERS,
  text: `${GROUP}, ${APPENDED} ${ANSWER}`,
});

/** The same, with requests. */
export const APPEND_GROUP_ASKING = named({
  parameters: PARAMETERS_ASKING,
  text: `${GROUP}, ${APPENDED}, ${ASKED} ${ANSWER}`,
});

/** Appends to one interaction; waits for the lock of its row. */
export const APPEND_ONE = named({
  name: 'append.one',
  parameters: PARAMETERS,
  text: `${ONE}, ${APPENDED} ${ANSWER}`,
});

/** The same, with requests. */
export const APPEND_ONE_ASKING = named({
  name: 'append.one_asking',
  parameters: PARAMETERS_ASKING,
  text: `${ONE}, ${APPENDED}, ${ASKED} ${ANSWER}`,
});

/** Lock timeout of a group that ends interactions, for the locks of their chats. */
export const WAIT_BRIEFLY: Statement = { text: "SET LOCAL lock_timeout = '200ms'" };

/** Lock timeout of a transaction of one interaction. */
export const WAIT_FOR_LOCK: Statement = { text: "SET LOCAL lock_timeout = '2s'" };

/**
 * The end of a log, and the number of the seqs from `first` to `last` that it contains, from any
 * run and from the run of this epoch.
 */
export const STANDING = named({
  name: 'append.standing',
  parameters: 'id, epoch, first, last',
  text: `SELECT i.epoch, i.last_seq, count(r.seq)::integer AS present, count(r.seq) FILTER (WHERE r.epoch = :epoch)::integer AS own
    FROM interactions i LEFT JOIN records r ON r.interaction_id = i.id AND r.seq BETWEEN :first AND :last
    WHERE i.id = :id GROUP BY i.id`,
});

/**
 * Adds the entries of the outbox for what the transaction has just written: these requests, and
 * the ends of the interactions `ended` with the records `seqs`. A batch that was not written has
 * neither.
 */
export const ANNOUNCE = named({
  name: 'append.announce',
  parameters: 'requests, ended, seqs',
  text: `
    INSERT INTO webhooks (id, type, interaction_id, created_at, next_attempt_at)
    SELECT r.id, 'request_opened', r.interaction_id, r.created_at, r.created_at FROM requests r WHERE r.id = ANY (:requests::text[])
    UNION ALL
    SELECT i.id || '.' || i.last_seq, 'interaction_complete', i.id, i.completed_at, i.completed_at
    FROM unnest(:ended::text[], :seqs::integer[]) AS e (id, seq) JOIN interactions i ON i.id = e.id AND i.last_seq = e.seq
    WHERE i.completed_at IS NOT NULL
    ON CONFLICT (id) DO NOTHING`,
});
