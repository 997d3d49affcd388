import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a queued interaction was edited or moved: streams tell each change. */
export class AddQueueChanges1795651200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE interactions ADD COLUMN queue_changes integer NOT NULL DEFAULT 0',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interactions DROP COLUMN queue_changes');
  }
}
