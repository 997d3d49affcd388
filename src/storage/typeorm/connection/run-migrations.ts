import { MigrationExecutor } from 'typeorm';
import type { DataSource, QueryRunner } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { isAway, toStoreError } from './store-error.js';

/** The key of the advisory lock: arbitrary, and unique in this database. */
const LOCK = 7_078_135_201;

/**
 * Brings the tables up to date; returns the names of the migrations that it ran. If several
 * processes start at once, only one runs them.
 * @throws AppError `migration_failed`
 */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  return onRunner(dataSource, async (runner) => {
    await runner.query('SELECT pg_advisory_lock($1)', [LOCK]);
    try {
      const ran = await new MigrationExecutor(dataSource, runner).executePendingMigrations();
      return ran.map((migration) => migration.name);
    } catch (error) {
      throw isAway(error) ? toStoreError(error) : failed(error);
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    }
  });
}

/** @throws AppError `migrations_pending` */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await onRunner(dataSource, (runner) =>
    new MigrationExecutor(dataSource, runner).getPendingMigrations(),
  );
  if (pending.length === 0) return;
  const names = pending.map((migration) => migration.name).join(', ');
  throw new AppError(
    'unavailable',
    'migrations_pending',
    `The database lacks migrations (${names}). Run \`npm run migrate\`, or start with MIGRATE=true.`,
  );
}

function failed(cause: unknown): AppError {
  return new AppError(
    'internal',
    'migration_failed',
    `A migration failed and was undone: ${(cause as Error).message}. Check that DATABASE_URL names a database of Parley's own.`,
    { cause },
  );
}

async function onRunner<T>(
  dataSource: DataSource,
  work: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    return await work(runner);
  } finally {
    await runner.release();
  }
}
