import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The boards of chats. */
export class CreateTasks1795392000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TASKS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tasks;');
  }
}

const TASKS = `
  CREATE TABLE tasks (
    id          text COLLATE "C" NOT NULL,
    chat_id     text COLLATE "C" NOT NULL,
    title       text NOT NULL,
    description text,
    status      text NOT NULL,
    version     integer NOT NULL,
    agent_id    text COLLATE "C",
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    CONSTRAINT tasks_pk PRIMARY KEY (id),
    CONSTRAINT tasks_chat_fk FOREIGN KEY (chat_id) REFERENCES chats (id) ON DELETE CASCADE,
    CONSTRAINT tasks_status_known CHECK (status IN ('pending', 'in_progress', 'completed'))
  );

  CREATE INDEX tasks_by_chat ON tasks (chat_id, created_at, id);
`;
