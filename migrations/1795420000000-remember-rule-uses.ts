import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The calls that used a rule last, newest first, so that none of them is counted twice. */
export class RememberRuleUses1795420000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE permission_rules ADD COLUMN used_by text[] NOT NULL DEFAULT '{}';`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE permission_rules DROP COLUMN used_by;');
  }
}
