import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds agents by their id, and keeps what people tell them. */
export class AgentsAndInterventions1795430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AGENTS);
    await runner.query(INTERVENTIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE interventions; DROP INDEX interactions_by_agent; DROP INDEX records_by_agent;',
    );
  }
}

/** Of the records only the starts of child agents: no other append pays for it. */
const AGENTS = `
  CREATE INDEX interactions_by_agent ON interactions (agent_id);
  CREATE INDEX records_by_agent ON records (agent_id) WHERE type = 'AGENT_STARTED';
`;

/** An intervention is only written by who holds the lock of its interaction; \`signal\` is what it counted \`signals\` up to, and their order. */
const INTERVENTIONS = `
  CREATE TABLE interventions (
    id             text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    agent_id       text COLLATE "C" NOT NULL,
    signal         integer NOT NULL,
    user_comment   text NOT NULL,
    user_content   text,
    created_at     timestamptz(3) NOT NULL,
    CONSTRAINT interventions_pk PRIMARY KEY (id),
    CONSTRAINT interventions_in_order UNIQUE (interaction_id, signal),
    CONSTRAINT interventions_interaction_fk FOREIGN KEY (interaction_id) REFERENCES interactions (id) ON DELETE CASCADE
  );
`;
