import { MigrationExecutor } from 'typeorm';
import type { DataSource, QueryRunner } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { isAway, toStoreError } from './store-error.js';

/** The key of the advisory lock: arbitrary, and unique in this database. */
const LOCK = 7_078_135_201;

/**
 * Brings the tables up to date; returns the names of the migrations that it ran. If several
 * processes start at once, only one runs them.
 * @throws AppError `migration_failed`, `database_newer`
 */
export async function runMigrations(
  dataSource: DataSource,
  given?: QueryRunner,
): Promise<string[]> {
  const run = async (runner: QueryRunner): Promise<string[]> => {
    await runner.query('SELECT pg_advisory_lock($1)', [LOCK]);
    try {
      await requireKnown(dataSource, runner);
      const ran = await new MigrationExecutor(dataSource, runner).executePendingMigrations();
      return ran.map((migration) => migration.name);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw isAway(error) ? toStoreError(error) : failed(error);
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    }
  };
  return given ? run(given) : onRunner(dataSource, run);
}

/** @throws AppError `migrations_pending`, `database_newer` */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await onRunner(dataSource, async (runner) => {
    await requireKnown(dataSource, runner);
    return new MigrationExecutor(dataSource, runner).getPendingMigrations();
  });
  if (pending.length === 0) return;
  const names = pending.map((migration) => migration.name).join(', ');
  throw new AppError(
    'unavailable',
    'migrations_pending',
    `The database lacks migrations (${names}). Run \`npm run migrate\`, or start with MIGRATE=true.`,
  );
}

/** The names of those that were run, oldest first; none if the database has no tables yet. */
export async function listMigrations(runner: QueryRunner): Promise<string[]> {
  const find = `SELECT to_regclass('migrations')::text AS found`;
  const [table] = (await runner.query(find, [])) as { found: string | null }[];
  if (!table?.found) return [];
  const list = 'SELECT name FROM migrations ORDER BY id';
  return ((await runner.query(list, [])) as { name: string }[]).map(({ name }) => name);
}

/** A server that goes on with tables of a newer version could damage what it does not know. */
async function requireKnown({ migrations }: DataSource, runner: QueryRunner): Promise<void> {
  const ran = await listMigrations(runner);
  const known = new Set(migrations.map(({ name, constructor }) => name ?? constructor.name));
  const newer = ran.filter((name) => !known.has(name));
  if (newer.length === 0) return;
  throw new AppError(
    'internal',
    'database_newer',
    `The database was used by a newer version of Parley: this one does not know its migrations ${newer.join(', ')}. Start that version or a newer one, or restore a backup from before the update (docs/deployment.md#go-back).`,
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
