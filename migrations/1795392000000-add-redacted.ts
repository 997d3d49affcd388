import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names and counts of the text that was redacted in an intervention. */
export class AddRedacted1795392000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interventions ADD COLUMN redacted json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interventions DROP COLUMN redacted');
  }
}
