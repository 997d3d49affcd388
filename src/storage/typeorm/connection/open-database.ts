import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import type { DataSource } from 'typeorm';
import { AppError, messageOf } from '../../../kernel/app-error.js';
import { copyTree } from '../../copy-tree.js';
import type { Clock } from '../../../kernel/clock.js';
import { ALL_TENANTS } from '../../../kernel/tenant-scope.js';
import { checkServer } from './check-server.js';
import { connectServer } from './connect-server.js';
import type { ConnectOptions, DatabaseTarget } from './connect-server.js';
import {
  createEmbeddedDataSource,
  createMigrationDataSource,
  createServerDataSource,
} from './data-source.js';
import { Database } from './database.js';
import type { EmbeddedPool } from './embedded-connection.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { bypassesRowSecurity } from './row-security.js';
import { requireMigrated, runMigrations } from './run-migrations.js';
import { limitsFor } from './time-limits.js';

export interface OpenOptions extends DatabaseTarget {
  /** Run pending migrations; otherwise they are an error. */
  readonly migrate: boolean;
  /** `SAVE_TIMEOUT_MS`; the timeouts of a server are derived from it. */
  readonly saveTimeoutMs?: number;
  /** Total time of the retries while a server isn't up, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Called with the names of the migrations that were run, if any were pending. */
  readonly onMigrate?: (names: readonly string[]) => void;
  /** Called if the server is not up and connecting is retried. */
  readonly onWait?: (message: string) => void;
  /** Follows the clock of a server, by which all its processes judge what has expired. */
  readonly clock?: Clock;
  /** Aborts the retries. */
  readonly signal?: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 30_000;
const SAVE_TIMEOUT_MS = 5000;

/**
 * Opens the database and ensures that its tables are up to date.
 * @throws AppError `store_unavailable`, `migrations_pending`, `embedded_database_broken`,
 * `prepared_database_incomplete`
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  return options.url === undefined ? openEmbedded(options) : openServer(options, options.url);
}

async function openServer(options: OpenOptions, url: string): Promise<Database> {
  const { migrate, signal, onWait, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const limits = limitsFor(options.saveTimeoutMs ?? SAVE_TIMEOUT_MS);
  const connectOptions = { connectTimeoutMs, ...(signal && { signal }), ...(onWait && { onWait }) };
  const create = (tenant?: string) => () => createServerDataSource(url, limits, tenant);
  const connected = await connectServer(create(ALL_TENANTS), url, connectOptions);
  await checkServer(url, migrate).catch(async (error: unknown) => {
    await connected.destroy();
    throw error;
  });
  if (migrate) await migrateServer(options, url, connectOptions);
  const { clock } = options;
  const runs = new Database(connected, { limits, clock });
  return closedUnless(runs, async () => {
    await runs.ping();
    if (!migrate) await requireMigrated(runs.dataSource);
    const clients = await connectServer(create(), url, connectOptions);
    const isByTenant = !(await bypassesRowSecurity(runs));
    return new Database(clients, { limits, runs, isByTenant });
  });
}

/** Runs on a separate connection without timeouts. */
async function migrateServer(
  { onMigrate }: OpenOptions,
  url: string,
  connectOptions: ConnectOptions,
): Promise<void> {
  const dataSource = await connectServer(() => createMigrationDataSource(url), url, connectOptions);
  try {
    const ran = await runMigrations(dataSource);
    onMigrate?.(ran);
  } finally {
    await dataSource.destroy();
  }
}

async function openEmbedded(options: OpenOptions): Promise<Database> {
  const { dataDir, migrate, onMigrate } = options;
  const db = await openEmbeddedDatabase(dataDir).catch((cause: unknown) => {
    throw cause instanceof AppError ? cause : broken(dataDir, cause);
  });
  const database = await connectEmbedded(db, () => db.close(), join(dataDir, 'db'));
  return closedUnless(database, async () => {
    if (migrate) {
      const ran = await runMigrations(database.dataSource);
      onMigrate?.(ran);
    } else await requireMigrated(database.dataSource);
    return database;
  });
}

/**
 * To an embedded database that is open.
 * @param folder where it is
 */
export async function connectEmbedded(
  db: PGlite,
  afterClose: () => Promise<void>,
  folder = '',
): Promise<Database> {
  const dataSource = await createEmbeddedDataSource(db).initialize();
  const pool = poolOf(dataSource);
  const runs = new Database(dataSource, { first: (connect) => pool.first(connect) });
  // It writes only while it executes a statement: between two, its files are whole.
  const copyTo = (path: string): Promise<void> =>
    db.runExclusive(async () => {
      pool.isPaused = true;
      await copyTree(folder, path).finally(() => (pool.isPaused = false));
    });
  return new Database(dataSource, { runs, afterClose, copyTo });
}

function poolOf({ driver }: DataSource): EmbeddedPool {
  return (driver as unknown as { master: EmbeddedPool }).master;
}

async function closedUnless(
  database: Database,
  finish: () => Promise<Database>,
): Promise<Database> {
  try {
    return await finish();
  } catch (error) {
    await database.close();
    throw error;
  }
}

function broken(dataDir: string, cause: unknown): AppError {
  return new AppError(
    'internal',
    'embedded_database_broken',
    `The embedded database in ${dataDir}/db can't be opened: ${messageOf(cause)}. Check that the disk has room and the directory is yours to write; ` +
      'if it is damaged, move it away and start with an empty one or a copy.',
    { cause },
  );
}

/**
 * Brings the tables up to date and closes the database again, for `npm run migrate`. For an
 * embedded database, the caller must hold the lock of the data directory. Returns the names of the
 * migrations that it ran.
 * @throws AppError as `openDatabase`
 */
export async function migrateDatabase(target: DatabaseTarget): Promise<readonly string[]> {
  let ran: readonly string[] = [];
  const onMigrate = (names: readonly string[]): void => void (ran = names);
  const database = await openDatabase({ ...target, migrate: true, onMigrate });
  await database.close();
  return ran;
}
