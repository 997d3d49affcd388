import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The outbox of webhooks. A process that claims an entry moves `next_attempt_at` to the time from
 * which others may claim it; `attempts` tells the claims apart.
 */
export class CreateWebhooks1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id              text COLLATE "C" NOT NULL,
        type            text NOT NULL,
        interaction_id  text COLLATE "C" NOT NULL,
        created_at      timestamptz(3) NOT NULL,
        attempts        integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3) NOT NULL,
        failed_at       timestamptz(3),
        CONSTRAINT webhooks_pk PRIMARY KEY (id),
        CONSTRAINT webhooks_interaction_fk FOREIGN KEY (interaction_id) REFERENCES interactions (id) ON DELETE CASCADE,
        CONSTRAINT webhooks_type_known CHECK (type IN ('request_opened', 'interaction_complete'))
      );

      CREATE INDEX webhooks_due ON webhooks (next_attempt_at, id) WHERE failed_at IS NULL;
      CREATE INDEX webhooks_failed ON webhooks (failed_at) WHERE failed_at IS NOT NULL;
      CREATE INDEX webhooks_by_age ON webhooks (created_at, id);
      CREATE INDEX webhooks_by_interaction ON webhooks (interaction_id);

      ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY webhooks_of_tenant ON webhooks
        USING (current_setting('parley.tenant', true) = '*'
          OR EXISTS (SELECT FROM interactions i WHERE i.id = interaction_id));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhooks');
  }
}
