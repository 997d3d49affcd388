import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { INITDB_PARAMETERS } from '../../src/storage/typeorm/connection/embedded-database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
/** One that isn't there refuses at once; modules that are loaded meanwhile may take their time. */
const CONNECT_MS = 30_000;
/** What a statement may take while the machine is busy. */
const PATIENCE_MS = 60_000;

/** A migrated database of the test's own. */
export interface TestDatabase {
  /** The newest; `reopen` replaces it. */
  readonly database: Database;
  /** Closes it and opens it again, as a restarted process would. */
  reopen(): Promise<Database>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
}

/** An embedded database in a directory of its own: a copy of one that was prepared once. */
export async function openTestPglite(): Promise<TestDatabase> {
  const dataDir = await copyOfTemplate();
  const open = () => openDatabase({ dataDir, migrate: true });
  return testDatabase(open, () => rm(dataDir, { recursive: true, force: true }));
}

/** A directory that holds an embedded database, migrated and closed: a `DATA_DIR` whose first start is over. The caller removes it. */
export async function copyOfTemplate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await cp(join(await template(), 'db'), join(dataDir, 'db'), { recursive: true });
  return dataDir;
}

/** Why there is no Postgres server to test on, or undefined if there is. With REQUIRE_SERVICES=1 its absence is an error. */
export async function findPostgresFault(): Promise<string | undefined> {
  try {
    await onServer((client) => client.query('SELECT 1'));
    return undefined;
  } catch (error) {
    const fault = `no Postgres at TEST_DATABASE_URL (${(error as Error).message || (error as { code?: string }).code})`;
    if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(fault, { cause: error });
    process.stderr.write(`Skipped: ${fault}\n`);
    return fault;
  }
}

/** A database of the test's own on the Postgres server. */
export async function openTestPostgres(): Promise<TestDatabase & { readonly url: string }> {
  const { url, drop } = await createPostgresDatabase();
  const open = () => openDatabase({ url, dataDir: '', migrate: true, saveTimeoutMs: PATIENCE_MS });
  return Object.assign(await testDatabase(open, drop), { url });
}

/** An empty database on the Postgres server, without tables. */
export async function createPostgresDatabase(): Promise<{
  url: string;
  drop: () => Promise<void>;
}> {
  const name = `parley_test_${randomUUID().replaceAll('-', '')}`;
  await onServer((client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const drop = async () => {
    await onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  };
  return { url: url.href, drop };
}

async function testDatabase(
  open: () => Promise<Database>,
  remove: () => Promise<unknown>,
): Promise<TestDatabase> {
  const opened = {
    database: await open(),
    async reopen() {
      await opened.database.close();
      opened.database = await open();
      return opened.database;
    },
    async close() {
      await opened.database.close();
      await remove();
    },
  };
  return opened;
}

async function onServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let prepared: Promise<string> | undefined;

/** Made by whoever needs it first, kept between runs, and made anew when PGlite or a migration changes. */
function template(): Promise<string> {
  return (prepared ??= findOrMakeTemplate());
}

async function findOrMakeTemplate(): Promise<string> {
  const path = join(tmpdir(), `parley-test-template-${await fingerprint()}`);
  if (await exists(path)) return path;
  const mine = await mkdtemp(`${path}-`);
  await (await openDatabase({ dataDir: mine, migrate: true })).close();
  // Of several that made one at once, the first stays.
  await rename(mine, path).catch(() => rm(mine, { recursive: true, force: true }));
  return path;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(INITDB_PARAMETERS));
  const packageJson = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  hash.update(await readFile(packageJson));
  const migrations = join(import.meta.dirname, '../../migrations');
  for (const file of (await readdir(migrations)).toSorted())
    hash.update(await readFile(join(migrations, file)));
  return hash.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
