import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The usage of the interactions of deleted chats, by the day on which they were started. */
export class CreateDeletedUsageDays1795564800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deleted_usage_days (
        day              date NOT NULL,
        tenant_id        text COLLATE "C" NOT NULL,
        model            text COLLATE "C" NOT NULL,
        user_id          text COLLATE "C" NOT NULL,
        interactions     bigint NOT NULL,
        input_tokens     bigint NOT NULL,
        output_tokens    bigint NOT NULL,
        cached_tokens    bigint,
        reasoning_tokens bigint,
        cost_usd         double precision,
        CONSTRAINT deleted_usage_days_pk PRIMARY KEY (day, tenant_id, model, user_id)
      );

      ALTER TABLE deleted_usage_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY deleted_usage_days_of_tenant ON deleted_usage_days
        USING (current_setting('parley.tenant', true) = '*'
          OR tenant_id = current_setting('parley.tenant', true));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deleted_usage_days');
  }
}
