import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many runs in a row were lost that had written nothing, and the last seq that such a run finds or writes itself. */
export class CountLosses1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE interactions DROP COLUMN losses, DROP COLUMN taken_seq;');
  }
}

const UP = `
  ALTER TABLE interactions
    ADD COLUMN losses integer NOT NULL DEFAULT 0,
    ADD COLUMN taken_seq integer NOT NULL DEFAULT 1;
`;
