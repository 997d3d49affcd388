import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What ends in the queue keeps its rank there, which tells it from what has begun. */
export class KeepQueueRank1795350000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
  ALTER TABLE interactions
    DROP CONSTRAINT interactions_queued_ranked,
    ADD CONSTRAINT interactions_queued_ranked CHECK (status <> 'QUEUED' OR queue_rank IS NOT NULL);
`;

const DOWN = `
  UPDATE interactions SET queue_rank = NULL WHERE status <> 'QUEUED';
  ALTER TABLE interactions
    DROP CONSTRAINT interactions_queued_ranked,
    ADD CONSTRAINT interactions_queued_ranked CHECK ((status = 'QUEUED') = (queue_rank IS NOT NULL));
`;
