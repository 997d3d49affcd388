import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Null: no turn has it. As the counts before them, they are in no index. */
export class AddUsage1795478400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`
        ALTER TABLE ${table}
          ADD COLUMN cached_tokens bigint,
          ADD COLUMN reasoning_tokens bigint,
          ADD COLUMN cost_usd double precision`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`
        ALTER TABLE ${table} DROP COLUMN cached_tokens, DROP COLUMN reasoning_tokens, DROP COLUMN cost_usd`);
  }
}

const TABLES = ['interactions', 'incoming_interactions'];
