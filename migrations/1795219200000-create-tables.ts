import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ids collate by byte, so that their order is the same in every database and in JavaScript.
 * Payloads are `json`, never `jsonb`, which refuses U+0000 and lone surrogates and reorders keys.
 */
export class CreateTables1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [
      CHATS,
      INTERACTIONS,
      RECORDS,
      REQUESTS,
      INTERVENTIONS,
      RULES,
      TASKS,
      FILES,
      INCOMING,
      CREDENTIALS,
      AUDIT,
      ROW_SECURITY,
    ];
    for (const statements of tables) await runner.query(statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * All that belongs to a chat refers to its `uid`, inside and outside of the database. `data_key` is
 * wrapped by the master key of that id, and encrypts the texts of the chat: it is deleted with it.
 */
const CHATS = `
  CREATE TABLE chats (
    uid                 uuid NOT NULL,
    tenant_id           text COLLATE "C" NOT NULL,
    id                  text COLLATE "C" NOT NULL,
    owner               text COLLATE "C" NOT NULL,
    visibility          text NOT NULL,
    title               text,
    preview             text,
    settings            json NOT NULL,
    messages            json NOT NULL,
    head_interaction_id text COLLATE "C",
    created_at          timestamptz(3) NOT NULL,
    updated_at          timestamptz(3) NOT NULL,
    metadata            json NOT NULL,
    master_key_id       text COLLATE "C",
    data_key            text,
    CONSTRAINT chats_pk PRIMARY KEY (uid),
    CONSTRAINT chats_named UNIQUE (tenant_id, id),
    CONSTRAINT chats_visibility_known CHECK (visibility IN ('private', 'tenant')),
    CONSTRAINT chats_key_whole CHECK ((master_key_id IS NULL) = (data_key IS NULL))
  ) WITH (fillfactor = 80);

  CREATE INDEX chats_by_age ON chats (tenant_id, created_at, id);
  CREATE INDEX chats_by_owner ON chats (tenant_id, owner, created_at, id);
  CREATE INDEX chats_shared ON chats (tenant_id, created_at, id) WHERE visibility = 'tenant';
  CREATE INDEX chats_by_master_key ON chats (master_key_id) WHERE master_key_id IS NOT NULL;
  CREATE INDEX chats_by_change ON chats (tenant_id, updated_at, id);
  CREATE INDEX chats_by_owner_and_change ON chats (tenant_id, owner, updated_at, id);
  CREATE INDEX chats_shared_by_change ON chats (tenant_id, updated_at, id) WHERE visibility = 'tenant';

  CREATE TABLE tenant_keys (
    tenant_id     text COLLATE "C" NOT NULL,
    master_key_id text COLLATE "C" NOT NULL,
    data_key      text NOT NULL,
    CONSTRAINT tenant_keys_pk PRIMARY KEY (tenant_id)
  );
`;

/**
 * A run updates its row with every append and renewal. No index may contain the columns that these
 * change (`last_seq`, usage, bytes, lease), so that they stay heap-only updates, for which the
 * fillfactor leaves room. The predicates of indexes use columns that change a few times per
 * interaction: `status`, and, when a person acts, `signals` and `parked_signals`.
 *
 * `queue_rank` remains when an interaction ends in the queue; it is null once it has begun.
 * `losses` counts lost runs in a row without progress, and `alone_losses` those among them that ran
 * alone among suspects (`trial` 1); `progressed` is about the run of the current epoch.
 * `started_at` is the time of the start or of the last retry, null for an imported interaction.
 * `begun_no` orders the interactions of a chat as they began, or ended in the queue: it is taken
 * under the lock of the chat, where clocks of several hosts may differ.
 * Appends raise `bytes`, the end copies it to `final_bytes`, so that quotas read only indexes:
 * `interactions_by_tenant` for starts and bytes, `interactions_in_places` for runs.
 * `interactions_wanting_a_run` excludes parked interactions, so that the sweep does not read them
 * however many there are.
 *
 * `deleted_usage` keeps for a day what interactions of deleted chats used, so that deleting a chat
 * gives no quota back.
 */
const INTERACTIONS = `
  CREATE SEQUENCE interactions_begun;

  CREATE TABLE interactions (
    id                      text COLLATE "C" NOT NULL,
    chat_uid                uuid NOT NULL,
    chat_id                 text COLLATE "C" NOT NULL,
    tenant_id               text COLLATE "C" NOT NULL,
    started_by              text COLLATE "C" NOT NULL,
    parent_id               text COLLATE "C",
    status                  text NOT NULL,
    user_message            text NOT NULL,
    agent                   text NOT NULL,
    model                   text NOT NULL,
    settings                json NOT NULL,
    input_tokens            bigint NOT NULL DEFAULT 0,
    output_tokens           bigint NOT NULL DEFAULT 0,
    error                   json,
    added_messages          json,
    created_at              timestamptz(3) NOT NULL,
    completed_at            timestamptz(3),
    superseded_at           timestamptz(3),
    last_seq                integer NOT NULL,
    metadata                json NOT NULL,
    epoch                   integer NOT NULL,
    signals                 integer NOT NULL DEFAULT 0,
    cancel_reason           text,
    cancelled_by            text,
    owner                   text,
    lease_until             timestamptz(3),
    idempotency_key         text,
    idempotency_fingerprint text,
    agent_id                text COLLATE "C" NOT NULL,
    edited_from             text COLLATE "C",
    queue_rank              integer,
    parked_signals          integer,
    losses                  integer NOT NULL DEFAULT 0,
    alone_losses            integer NOT NULL DEFAULT 0,
    trial                   integer NOT NULL DEFAULT 0,
    progressed              boolean NOT NULL DEFAULT false,
    started_at              timestamptz(3),
    begun_no                bigint NOT NULL DEFAULT nextval('interactions_begun'),
    bytes                   bigint NOT NULL DEFAULT 0,
    final_bytes             bigint,
    added_bytes             integer GENERATED ALWAYS AS (octet_length(added_messages::text)) STORED,
    CONSTRAINT interactions_pk PRIMARY KEY (id),
    CONSTRAINT interactions_chat_fk FOREIGN KEY (chat_uid) REFERENCES chats (uid) ON DELETE CASCADE,
    CONSTRAINT interactions_status_known CHECK (status IN
      ('QUEUED', 'RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT', 'COMPLETED', 'FAILED', 'CANCELLED')),
    CONSTRAINT interactions_leased_whole CHECK ((owner IS NULL) = (lease_until IS NULL)),
    CONSTRAINT interactions_queued_ranked CHECK (status <> 'QUEUED' OR queue_rank IS NOT NULL)
  ) WITH (fillfactor = 45);

  CREATE UNIQUE INDEX interactions_one_active_per_chat ON interactions (chat_uid)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT');
  CREATE UNIQUE INDEX interactions_idempotency_key ON interactions (chat_uid, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
  CREATE INDEX interactions_by_chat ON interactions (chat_uid, id);
  CREATE INDEX interactions_by_agent ON interactions (agent_id);
  CREATE INDEX interactions_queued ON interactions (chat_uid, queue_rank, id)
    WHERE status = 'QUEUED';
  CREATE INDEX interactions_wanting_a_run ON interactions (created_at, id)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT') AND (parked_signals IS NULL OR parked_signals <> signals)
      OR status = 'QUEUED' AND cancel_reason IS NOT NULL;
  CREATE INDEX interactions_by_tenant ON interactions (tenant_id, started_at) INCLUDE (final_bytes);
  CREATE INDEX interactions_in_places ON interactions (tenant_id)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT') AND (parked_signals IS NULL OR parked_signals <> signals)
      OR status = 'QUEUED';

  CREATE TABLE deleted_usage (
    tenant_id  text COLLATE "C" NOT NULL,
    started_at timestamptz(3) NOT NULL,
    tokens     bigint NOT NULL
  );

  CREATE INDEX deleted_usage_by_tenant ON deleted_usage (tenant_id, started_at);
  CREATE INDEX deleted_usage_by_age ON deleted_usage (started_at);
`;

/**
 * `body` contains the event with its `type`; the column of that name is for searching. The indexes
 * are for child agents and results of calls only, so that no other append pays for them. The call
 * is found in the text of the body, as operators of `json` fail on U+0000; inside a string, the
 * quotes around `id` would be escaped. With `body_bytes`, a page of a bounded size is found without
 * reading the bodies.
 *
 * `interaction_id` references nothing: the records of an import are here before its interactions,
 * and those of a deleted chat after them, since a large chat is removed in slices. `loose_logs` has
 * the interactions of such records, and the time from which the records are removed.
 */
const RECORDS = `
  CREATE TABLE records (
    interaction_id text COLLATE "C" NOT NULL,
    seq            integer NOT NULL,
    epoch          integer NOT NULL,
    agent_id       text COLLATE "C" NOT NULL,
    key            text,
    type           text NOT NULL,
    at             timestamptz(3) NOT NULL,
    body           json NOT NULL,
    hidden         json,
    call_id        text COLLATE "C" GENERATED ALWAYS AS (
      CASE WHEN type = 'TOOL_RESULT' THEN substring(body::text FROM '"id":"([A-Za-z0-9_-]{1,64})"') END) STORED,
    body_bytes     integer GENERATED ALWAYS AS (octet_length(body::text)) STORED,
    CONSTRAINT records_pk PRIMARY KEY (interaction_id, seq)
  );

  CREATE INDEX records_by_call ON records (interaction_id, call_id) WHERE call_id IS NOT NULL;
  CREATE INDEX records_by_agent ON records (agent_id) WHERE type = 'AGENT_STARTED';

  CREATE TABLE loose_logs (
    interaction_id text COLLATE "C" NOT NULL,
    remove_at      timestamptz(3) NOT NULL,
    CONSTRAINT loose_logs_pk PRIMARY KEY (interaction_id)
  );

  CREATE INDEX loose_logs_by_age ON loose_logs (remove_at, interaction_id);
`;

/** A request is written only under the lock of its interaction. */
const REQUESTS = `
  CREATE TABLE requests (
    id             text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    chat_uid       uuid NOT NULL,
    chat_id        text COLLATE "C" NOT NULL,
    tenant_id      text COLLATE "C" NOT NULL,
    key            text NOT NULL,
    kind           text NOT NULL,
    status         text NOT NULL DEFAULT 'pending',
    agent_id       text COLLATE "C" NOT NULL,
    event          json NOT NULL,
    settlement     json,
    created_at     timestamptz(3) NOT NULL,
    expires_at     timestamptz(3),
    settled_at     timestamptz(3),
    bytes          integer GENERATED ALWAYS AS (octet_length(event::text) + coalesce(octet_length(settlement::text), 0)) STORED,
    CONSTRAINT requests_pk PRIMARY KEY (id),
    CONSTRAINT requests_interaction_fk FOREIGN KEY (interaction_id) REFERENCES interactions (id) ON DELETE CASCADE,
    CONSTRAINT requests_one_per_step UNIQUE (interaction_id, key),
    CONSTRAINT requests_kind_known CHECK (kind IN ('approval', 'input', 'tool')),
    CONSTRAINT requests_status_known CHECK (status IN ('pending', 'settled', 'closed')),
    CONSTRAINT requests_pending_open CHECK ((status = 'pending') = (settled_at IS NULL)),
    CONSTRAINT requests_settled_whole CHECK ((status = 'settled') = (settlement IS NOT NULL))
  );

  CREATE INDEX requests_by_age ON requests (tenant_id, created_at, id);
  CREATE INDEX requests_by_chat ON requests (chat_uid, created_at, id);
  CREATE INDEX requests_pending_by_age ON requests (tenant_id, created_at, id) WHERE status = 'pending';
  CREATE INDEX requests_pending_by_chat ON requests (chat_uid, created_at, id) WHERE status = 'pending';
  CREATE INDEX requests_settled_by_age ON requests (tenant_id, created_at, id) WHERE status = 'settled';
  CREATE INDEX requests_closed_by_age ON requests (tenant_id, created_at, id) WHERE status = 'closed';
  CREATE INDEX requests_pending_by_expiry ON requests (expires_at, id) WHERE status = 'pending' AND expires_at IS NOT NULL;
`;

/**
 * An intervention is written only under the lock of its interaction; `signal` is the number that
 * `interactions.signals` was raised to, and gives their order. `redacted` has names and counts of
 * the text that was redacted.
 */
const INTERVENTIONS = `
  CREATE TABLE interventions (
    id             text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    agent_id       text COLLATE "C" NOT NULL,
    signal         integer NOT NULL,
    user_comment   text NOT NULL,
    user_content   text,
    redacted       json,
    created_at     timestamptz(3) NOT NULL,
    created_by     text NOT NULL,
    CONSTRAINT interventions_pk PRIMARY KEY (id),
    CONSTRAINT interventions_in_order UNIQUE (interaction_id, signal),
    CONSTRAINT interventions_interaction_fk FOREIGN KEY (interaction_id) REFERENCES interactions (id) ON DELETE CASCADE
  );
`;

/**
 * A rule of a chat goes with the chat, which `chat_uid` names; `scope_id` is its public id.
 * `used_by` has the latest calls that used the rule, newest first, so that none of them is counted
 * twice. Rules of files are not in the database, but their uses are: all processes share them.
 */
const RULES = `
  CREATE TABLE permission_rules (
    id          text COLLATE "C" NOT NULL,
    scope       text NOT NULL,
    scope_id    text COLLATE "C",
    tenant_id   text COLLATE "C" NOT NULL,
    chat_uid    uuid,
    priority    integer NOT NULL,
    decision    text NOT NULL,
    matcher     json NOT NULL,
    description text,
    expires_at  timestamptz(3),
    max_uses    integer,
    created_at  timestamptz(3) NOT NULL,
    uses        integer NOT NULL DEFAULT 0,
    used_by     text[] NOT NULL DEFAULT '{}',
    CONSTRAINT permission_rules_pk PRIMARY KEY (id),
    CONSTRAINT permission_rules_chat_fk FOREIGN KEY (chat_uid) REFERENCES chats (uid) ON DELETE CASCADE,
    CONSTRAINT permission_rules_scope_known CHECK (scope IN ('user', 'session', 'agent', 'global')),
    CONSTRAINT permission_rules_scope_whole CHECK ((scope = 'global') = (scope_id IS NULL)),
    CONSTRAINT permission_rules_chat_whole CHECK ((scope = 'session') = (chat_uid IS NOT NULL)),
    CONSTRAINT permission_rules_decision_known CHECK (decision IN ('allow', 'deny', 'ask'))
  );

  CREATE INDEX permission_rules_by_chat ON permission_rules (chat_uid) WHERE chat_uid IS NOT NULL;
  CREATE INDEX permission_rules_by_scope ON permission_rules (tenant_id, scope, scope_id);
  CREATE INDEX permission_rules_in_order ON permission_rules (
    tenant_id, array_position('{user,session,agent,global}'::text[], scope), (-priority), created_at, id);

  CREATE TABLE rule_uses_in_files (
    rule_id text COLLATE "C" NOT NULL,
    uses    integer NOT NULL,
    used_by text[] NOT NULL,
    CONSTRAINT rule_uses_in_files_pk PRIMARY KEY (rule_id)
  );
`;

/** The task board of each chat. */
const TASKS = `
  CREATE TABLE tasks (
    id          text COLLATE "C" NOT NULL,
    chat_uid    uuid NOT NULL,
    chat_id     text COLLATE "C" NOT NULL,
    title       text NOT NULL,
    description text,
    status      text NOT NULL,
    version     integer NOT NULL,
    agent_id    text COLLATE "C",
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    CONSTRAINT tasks_pk PRIMARY KEY (id),
    CONSTRAINT tasks_chat_fk FOREIGN KEY (chat_uid) REFERENCES chats (uid) ON DELETE CASCADE,
    CONSTRAINT tasks_status_known CHECK (status IN ('pending', 'in_progress', 'completed'))
  );

  CREATE INDEX tasks_by_chat ON tasks (chat_uid, created_at, id);
`;

/**
 * Refers to no chat, so that a deleted chat leaves the rows of its files, marked, until their bytes
 * are removed. A chat is deleted under its lock, and a file added under it.
 */
const FILES = `
  CREATE TABLE files (
    id         text COLLATE "C" NOT NULL,
    tenant_id  text COLLATE "C" NOT NULL,
    owner      text COLLATE "C" NOT NULL,
    chat_uid   uuid,
    chat_id    text COLLATE "C",
    filename   text NOT NULL,
    mime_type  text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256     text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    is_deleted boolean NOT NULL DEFAULT false,
    CONSTRAINT files_pk PRIMARY KEY (id),
    CONSTRAINT files_chat_whole CHECK ((chat_uid IS NULL) = (chat_id IS NULL))
  );

  CREATE INDEX files_by_age ON files (tenant_id, created_at, id);
  CREATE INDEX files_by_size ON files (tenant_id) INCLUDE (size_bytes);
  CREATE INDEX files_by_chat ON files (chat_uid, created_at, id) WHERE chat_uid IS NOT NULL;
  CREATE INDEX files_unattached ON files (created_at) WHERE chat_uid IS NULL;
  CREATE INDEX files_deleted ON files (id) WHERE is_deleted;
`;

/**
 * Imported chats until they are complete, without their records. No lock, lease or queue applies,
 * and no query looks here.
 */
const INCOMING = `
  CREATE TABLE incoming_chats (
    id       text COLLATE "C" NOT NULL,
    begun_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT incoming_chats_pk PRIMARY KEY (id)
  );

  CREATE TABLE incoming_interactions (
    incoming_id text COLLATE "C" NOT NULL,
    LIKE interactions INCLUDING DEFAULTS,
    CONSTRAINT incoming_interactions_pk PRIMARY KEY (incoming_id, id),
    CONSTRAINT incoming_interactions_fk FOREIGN KEY (incoming_id) REFERENCES incoming_chats (id) ON DELETE CASCADE
  );

  CREATE TABLE incoming_requests (
    incoming_id text COLLATE "C" NOT NULL,
    LIKE requests INCLUDING DEFAULTS,
    CONSTRAINT incoming_requests_pk PRIMARY KEY (incoming_id, id),
    CONSTRAINT incoming_requests_fk FOREIGN KEY (incoming_id) REFERENCES incoming_chats (id) ON DELETE CASCADE
  );
`;

/** API keys, without their secrets, and tickets that were not used yet. */
const CREDENTIALS = `
  CREATE TABLE api_keys (
    id          text COLLATE "C" NOT NULL,
    tenant_id   text COLLATE "C" NOT NULL,
    user_id     text NOT NULL,
    scopes      text[] NOT NULL,
    secret_hash text NOT NULL,
    created_at  timestamptz(3) NOT NULL,
    expires_at  timestamptz(3),
    created_by  text NOT NULL,
    CONSTRAINT api_keys_pk PRIMARY KEY (id)
  );

  CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at, id);

  CREATE TABLE stream_tickets (
    hash       text COLLATE "C" NOT NULL,
    path       text NOT NULL,
    holder     text COLLATE "C" NOT NULL,
    principal  json NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT stream_tickets_pk PRIMARY KEY (hash)
  );

  CREATE INDEX stream_tickets_by_holder ON stream_tickets (holder);
  CREATE INDEX stream_tickets_by_expiry ON stream_tickets (expires_at);
`;

/** Refers to nothing, so that it outlives what it is about. Rows are only added. */
const AUDIT = `
  CREATE TABLE audit (
    id             text COLLATE "C" NOT NULL,
    at             timestamptz(3) NOT NULL,
    tenant_id      text COLLATE "C" NOT NULL,
    user_id        text NOT NULL,
    action         text NOT NULL,
    chat_id        text COLLATE "C",
    interaction_id text COLLATE "C",
    detail         json NOT NULL,
    CONSTRAINT audit_pk PRIMARY KEY (id)
  );

  CREATE INDEX audit_by_age ON audit (tenant_id, at, id);
`;

/**
 * A third line behind the conditions of the queries: a connection sees the rows of the tenant that
 * `parley.tenant` names, those of runs and migrations (`*`) see all. The records and the tables
 * that name no tenant are reached through these.
 */
const ROW_SECURITY = `
  ${['chats', 'interactions', 'deleted_usage', 'requests', 'permission_rules', 'files', 'audit']
    .map((table) => policyOf(table, `tenant_id = current_setting('parley.tenant', true)`))
    .join('')}
  ${policyOf('tasks', 'EXISTS (SELECT FROM chats c WHERE c.uid = chat_uid)')}
  ${policyOf('interventions', 'EXISTS (SELECT FROM interactions i WHERE i.id = interaction_id)')}
`;

function policyOf(table: string, condition: string): string {
  return `
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY ${table}_of_tenant ON ${table}
      USING (current_setting('parley.tenant', true) = '*' OR ${condition});
  `;
}

const DOWN = `
  DROP TABLE audit, stream_tickets, api_keys, incoming_requests, incoming_interactions, incoming_chats, files, tasks,
    rule_uses_in_files, permission_rules, interventions, requests, loose_logs, records, deleted_usage, interactions,
    tenant_keys, chats;
  DROP SEQUENCE interactions_begun;
`;
