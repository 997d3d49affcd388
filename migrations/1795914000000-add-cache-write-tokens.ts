import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Null: no turn has it. */
export class AddCacheWriteTokens1795914000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN cache_write_tokens bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`ALTER TABLE ${table} DROP COLUMN cache_write_tokens`);
  }
}

const TABLES = ['interactions', 'incoming_interactions', 'deleted_usage_days'];
