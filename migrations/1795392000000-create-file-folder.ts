import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Table with a single row: the id of the folder that has the bytes of all files. */
export class CreateFileFolder1795392000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE file_folder (
        is_only boolean NOT NULL DEFAULT true,
        id      text COLLATE "C" NOT NULL,
        CONSTRAINT file_folder_pk PRIMARY KEY (is_only),
        CONSTRAINT file_folder_one CHECK (is_only)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE file_folder');
  }
}
