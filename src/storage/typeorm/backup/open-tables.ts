import type { DataSource, QueryRunner } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { ALL_TENANTS } from '../../../kernel/tenant-scope.js';
import type { SavedTables } from '../../table-rows.js';
import { connectServer } from '../connection/connect-server.js';
import {
  createEmbeddedDataSource,
  createMigrationDataSource,
  MIGRATIONS,
} from '../connection/data-source.js';
import { openEmbeddedDatabase, TEMPLATE } from '../connection/embedded-database.js';
import { listMigrations, runMigrations } from '../connection/run-migrations.js';
import { readTables } from './read-tables.js';
import { TableWriter } from './write-tables.js';

/** Names of the migrations that make the tables of this version, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** A `postgres://` URL, or the folder in which `db` is the embedded database. */
export type TablesPlace = { readonly url: string } | { readonly dataDir: string };

/** Empty tables to be filled. */
export interface EmptyTables {
  readonly writer: TableWriter;
  /** Without `commit` of the writer, nothing is changed. */
  close(): Promise<void>;
}

/** @throws AppError `migrations_pending` if it has no tables */
export async function openTables(place: TablesPlace): Promise<SavedTables> {
  const { runner, close } = await connect(place, MIGRATIONS);
  try {
    const migrations = await listMigrations(runner);
    if (migrations.length === 0) throw noTables();
    return { migrations, read: () => readTables(runner), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Makes the tables as these migrations do, unless they are there.
 * @throws AppError `backup_newer`, `restore_not_empty`
 */
export async function openEmptyTables(
  place: TablesPlace,
  migrations: readonly string[],
): Promise<EmptyTables> {
  const known = MIGRATIONS.filter(({ name }) => migrations.includes(name));
  const unknown = migrations.filter((name) => !MIGRATIONS.some((each) => each.name === name));
  if (unknown.length > 0) throw newer(unknown);
  const { runner, dataSource, close } = await connect(place, known);
  try {
    const there = await listMigrations(runner);
    if (there.length === 0) await runMigrations(dataSource, runner);
    else if (there.join() !== migrations.join()) throw otherTables();
    return { writer: await TableWriter.begin(runner), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(
  place: TablesPlace,
  migrations: typeof MIGRATIONS,
): Promise<{ dataSource: DataSource; runner: QueryRunner; close: () => Promise<void> }> {
  const db =
    'url' in place
      ? undefined
      : await openEmbeddedDatabase(
          place.dataDir,
          migrations.length === MIGRATIONS.length ? TEMPLATE : '',
        );
  const dataSource =
    'url' in place
      ? await connectServer(() => createMigrationDataSource(place.url, migrations), place.url, {
          connectTimeoutMs: 0,
        })
      : await createEmbeddedDataSource(db!, migrations).initialize();
  const runner = dataSource.createQueryRunner();
  await runner.query(`SELECT set_config('parley.tenant', $1, false)`, [ALL_TENANTS]);
  const close = async (): Promise<void> => {
    await runner.query('ROLLBACK', []).catch(() => {});
    await runner.release();
    await dataSource.destroy();
    await db?.close();
  };
  return { dataSource, runner, close };
}

function noTables(): AppError {
  const message = 'The database has no tables of Parley: there is nothing to back up.';
  return new AppError('conflict', 'migrations_pending', message);
}

function newer(unknown: readonly string[]): AppError {
  const message = `The backup is of a newer version of Parley, with migrations that this one does not know: ${unknown.join(', ')}. Restore it with that version or a newer one.`;
  return new AppError('conflict', 'backup_newer', message);
}

function otherTables(): AppError {
  const message =
    'The database has tables of another version than the backup. Name an empty database: the tables are made as the backup needs them, and the next start migrates them.';
  return new AppError('conflict', 'restore_not_empty', message);
}
