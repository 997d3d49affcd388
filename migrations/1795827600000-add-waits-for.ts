import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The requirement that the server lacks, for which a parked interaction waits, such as
 * `agent:reviewer`; null while it waits for none.
 */
export class AddWaitsFor1795827600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interactions ADD COLUMN waits_for text');
    await runner.query(
      'CREATE INDEX interactions_waiting_for ON interactions (id) WHERE waits_for IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interactions DROP COLUMN waits_for');
  }
}
