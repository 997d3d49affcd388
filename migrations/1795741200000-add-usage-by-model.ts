import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The usage of an interaction by the models of its turns; null: all of it is of the model that it
 * was started with. Of deleted chats it was kept by model before, with what is new null there.
 */
export class AddUsageByModel1795741200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interactions ADD COLUMN usage_by_model json');
    await runner.query(`
      ALTER TABLE deleted_usage_days
        ADD COLUMN model_interactions bigint,
        ADD COLUMN unpriced_tokens bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE deleted_usage_days DROP COLUMN model_interactions, DROP COLUMN unpriced_tokens`);
    await runner.query('ALTER TABLE interactions DROP COLUMN usage_by_model');
  }
}
