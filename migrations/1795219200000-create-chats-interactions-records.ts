import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ids collate by byte, so that their order is the same in every database and in JavaScript. Payloads are `json`, never `jsonb`, which
 * refuses U+0000 and lone surrogates and reorders keys.
 */
export class CreateChatsInteractionsRecords1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHATS);
    await runner.query(INTERACTIONS);
    await runner.query(RECORDS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE records; DROP TABLE interactions; DROP TABLE chats;');
  }
}

const CHATS = `
  CREATE TABLE chats (
    id                  text COLLATE "C" NOT NULL,
    title               text,
    agent               text,
    head_interaction_id text COLLATE "C",
    created_at          timestamptz(3) NOT NULL,
    updated_at          timestamptz(3) NOT NULL,
    metadata            json NOT NULL,
    CONSTRAINT chats_pk PRIMARY KEY (id)
  ) WITH (fillfactor = 80);

  CREATE INDEX chats_by_age ON chats (created_at, id);
`;

/**
 * A run updates its row with every append and renewal: no index may hold what these change (`last_seq`, usage, lease, signals), so that
 * they stay heap-only updates, for which the fillfactor leaves room. `status` is in two predicates and changes a few times per interaction.
 */
const INTERACTIONS = `
  CREATE TABLE interactions (
    id                      text COLLATE "C" NOT NULL,
    chat_id                 text COLLATE "C" NOT NULL,
    parent_id               text COLLATE "C",
    status                  text NOT NULL,
    user_message            text NOT NULL,
    agent                   text NOT NULL,
    model                   text NOT NULL,
    settings                json NOT NULL,
    input_tokens            integer NOT NULL DEFAULT 0,
    output_tokens           integer NOT NULL DEFAULT 0,
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
    owner                   text,
    lease_until             timestamptz(3),
    idempotency_key         text,
    idempotency_fingerprint text,
    CONSTRAINT interactions_pk PRIMARY KEY (id),
    CONSTRAINT interactions_chat_fk FOREIGN KEY (chat_id) REFERENCES chats (id) ON DELETE CASCADE,
    CONSTRAINT interactions_status_known CHECK (status IN
      ('QUEUED', 'RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT', 'COMPLETED', 'FAILED', 'CANCELLED')),
    CONSTRAINT interactions_leased_whole CHECK ((owner IS NULL) = (lease_until IS NULL))
  ) WITH (fillfactor = 60);

  CREATE UNIQUE INDEX interactions_one_active_per_chat ON interactions (chat_id)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT');
  CREATE INDEX interactions_active_by_age ON interactions (created_at, id)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT');
  CREATE INDEX interactions_by_chat ON interactions (chat_id, id);
  CREATE UNIQUE INDEX interactions_idempotency_key ON interactions (chat_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
`;

/** `body` holds the event with its `type`; the column of that name is there to be searched. */
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
    CONSTRAINT records_pk PRIMARY KEY (interaction_id, seq),
    CONSTRAINT records_interaction_fk FOREIGN KEY (interaction_id) REFERENCES interactions (id) ON DELETE CASCADE
  );
`;
