import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where chats that are brought in are kept until they are whole. They have no lock, no lease and no queue, and nothing looks for them there. */
export class CreateIncomingChats1795410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
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

  CREATE TABLE incoming_records (
    incoming_id text COLLATE "C" NOT NULL,
    LIKE records,
    CONSTRAINT incoming_records_pk PRIMARY KEY (incoming_id, interaction_id, seq),
    CONSTRAINT incoming_records_fk FOREIGN KEY (incoming_id) REFERENCES incoming_chats (id) ON DELETE CASCADE
  );

  CREATE TABLE incoming_requests (
    incoming_id text COLLATE "C" NOT NULL,
    LIKE requests INCLUDING DEFAULTS,
    CONSTRAINT incoming_requests_pk PRIMARY KEY (incoming_id, id),
    CONSTRAINT incoming_requests_fk FOREIGN KEY (incoming_id) REFERENCES incoming_chats (id) ON DELETE CASCADE
  );
`;

const DOWN =
  'DROP TABLE incoming_requests, incoming_records, incoming_interactions, incoming_chats';
