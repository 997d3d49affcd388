import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums of a day can exceed a bigint if a model API reports absurd counts. */
export class WidenDeletedUsageDays1796000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const changes = COLUMNS.map((column) => `ALTER COLUMN ${column} TYPE numeric`);
    await runner.query(`ALTER TABLE deleted_usage_days ${changes.join(', ')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const changes = COLUMNS.map(
      (column) =>
        `ALTER COLUMN ${column} TYPE bigint USING CASE WHEN ${column} > ${MOST} THEN ${MOST} ELSE ${column} END`,
    );
    await runner.query(`ALTER TABLE deleted_usage_days ${changes.join(', ')}`);
  }
}

const MOST = Number.MAX_SAFE_INTEGER;
const COLUMNS = [
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'unpriced_tokens',
];
