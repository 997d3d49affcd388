import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that wait for people, parked runs, queued interactions, and edits. */
export class RequestsAndBranches1795262400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INTERACTIONS);
    await runner.query(REQUESTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `interactions_wanting_a_run` leaves parked ones out, so that the sweep doesn't read them however many they are. `signals` and
 * `parked_signals` are in its predicate: they change when a person acts, and no append or renewal touches them.
 */
const INTERACTIONS = `
  ALTER TABLE interactions
    ADD COLUMN agent_id       text COLLATE "C",
    ADD COLUMN edited_from    text COLLATE "C",
    ADD COLUMN queue_rank     integer,
    ADD COLUMN parked_signals integer;

  UPDATE interactions i SET agent_id = r.agent_id, settings = json_build_object(
      'max_iterations', i.settings->'max_iterations', 'on_disconnect', i.settings->'on_disconnect',
      'approval_mode', 'ask', 'client_tools', '[]'::json)
    FROM records r WHERE r.interaction_id = i.id AND r.seq = 1;

  ALTER TABLE interactions
    ALTER COLUMN agent_id SET NOT NULL,
    ADD CONSTRAINT interactions_queued_ranked CHECK ((status = 'QUEUED') = (queue_rank IS NOT NULL));

  CREATE INDEX interactions_queued ON interactions (chat_id, queue_rank, id) WHERE status = 'QUEUED';

  DROP INDEX interactions_active_by_age;
  CREATE INDEX interactions_wanting_a_run ON interactions (created_at, id)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT') AND (parked_signals IS NULL OR parked_signals <> signals)
      OR status = 'QUEUED' AND cancel_reason IS NOT NULL;
`;

/** A request is only written by who holds the lock of its interaction. */
const REQUESTS = `
  CREATE TABLE requests (
    id             text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    chat_id        text COLLATE "C" NOT NULL,
    key            text NOT NULL,
    kind           text NOT NULL,
    status         text NOT NULL DEFAULT 'pending',
    agent_id       text COLLATE "C" NOT NULL,
    event          json NOT NULL,
    settlement     json,
    created_at     timestamptz(3) NOT NULL,
    expires_at     timestamptz(3),
    settled_at     timestamptz(3),
    CONSTRAINT requests_pk PRIMARY KEY (id),
    CONSTRAINT requests_interaction_fk FOREIGN KEY (interaction_id) REFERENCES interactions (id) ON DELETE CASCADE,
    CONSTRAINT requests_one_per_step UNIQUE (interaction_id, key),
    CONSTRAINT requests_kind_known CHECK (kind IN ('approval', 'input', 'tool')),
    CONSTRAINT requests_status_known CHECK (status IN ('pending', 'settled', 'closed')),
    CONSTRAINT requests_pending_open CHECK ((status = 'pending') = (settled_at IS NULL)),
    CONSTRAINT requests_settled_whole CHECK ((status = 'settled') = (settlement IS NOT NULL))
  );

  CREATE INDEX requests_by_age ON requests (created_at, id);
  CREATE INDEX requests_by_chat ON requests (chat_id, created_at, id);
  CREATE INDEX requests_pending_by_age ON requests (created_at, id) WHERE status = 'pending';
  CREATE INDEX requests_pending_by_expiry ON requests (expires_at, id) WHERE status = 'pending' AND expires_at IS NOT NULL;
`;

/** What is queued has never begun, and has no place in the older tables. */
const DOWN = `
  DROP TABLE requests;
  DELETE FROM interactions WHERE status = 'QUEUED';
  DROP INDEX interactions_wanting_a_run, interactions_queued;
  ALTER TABLE interactions DROP COLUMN agent_id, DROP COLUMN edited_from, DROP COLUMN queue_rank, DROP COLUMN parked_signals;
  CREATE INDEX interactions_active_by_age ON interactions (created_at, id)
    WHERE status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT');
`;
