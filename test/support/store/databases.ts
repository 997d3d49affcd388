import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Database } from '../../../src/storage/typeorm/connection/database.js';
import type { OpenOptions } from '../../../src/storage/typeorm/connection/open-database.js';
import { filesIn, fingerprintOf, madeOnce } from '../server/made-once.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
/** One that isn't there refuses at once; modules that are loaded meanwhile may take their time. */
const CONNECT_MS = 30_000;
/** The user that creates databases. */
export const SUPERUSER = new URL(SERVER).username;
/** An ordinary user that owns its databases, so that row-level security binds it. */
const USER = 'parley_test';
/** duplicate_object; unique_violation if two create it at once. */
const IS_THERE = new Set(['42710', '23505']);
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
  const { connectEmbedded } = await opening();
  const connect = ({ db }: Embedded) => connectEmbedded(db, async () => {});
  let embedded = emptied.pop() ?? (await openEmbedded(await copyOfTemplate()));
  const opened = {
    database: await connect(embedded),
    async reopen() {
      await opened.database.close();
      await embedded.db.close();
      embedded = await openEmbedded(embedded.dataDir);
      opened.database = await connect(embedded);
      return opened.database;
    },
    async close() {
      await opened.database.close();
      await empty(embedded).catch(() => remove(embedded));
    },
  };
  return opened;
}

interface Embedded {
  readonly dataDir: string;
  readonly db: PGlite;
}

/** Those that tests of this file have closed: to start another takes as long as a test. */
const emptied: Embedded[] = [];
afterAll(async () => {
  for (const embedded of emptied.splice(0)) await remove(embedded);
});

async function openEmbedded(dataDir: string): Promise<Embedded> {
  const { openEmbeddedDatabase } = await embeddedDatabase();
  return { dataDir, db: await openEmbeddedDatabase(dataDir) };
}

/** Without rows, and without what a session has set and prepared. */
async function empty(embedded: Embedded): Promise<void> {
  const { rows } = await embedded.db.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'",
  );
  const tables = rows.map(({ name }) => name).join(', ');
  await embedded.db.exec(`TRUNCATE ${tables} RESTART IDENTITY CASCADE`);
  await embedded.db.exec('DISCARD ALL');
  emptied.push(embedded);
}

async function remove({ dataDir, db }: Embedded): Promise<void> {
  if (!db.closed) await db.close();
  await rm(dataDir, { recursive: true, force: true });
}

/**
 * A directory that holds an embedded database, migrated and closed: a `DATA_DIR` whose first start
 * is over. The caller removes it.
 */
export async function copyOfTemplate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await cp(join(await template(), 'db'), join(dataDir, 'db'), { recursive: true });
  return dataDir;
}

/**
 * Why there is no Postgres server to test on, or undefined if there is. With REQUIRE_SERVICES=1 its
 * absence is an error.
 */
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

/** A database of the test's own on the Postgres server: a copy of one that was prepared once. */
export async function openTestPostgres(): Promise<TestDatabase & { readonly url: string }> {
  const { url, remove } = await copyOnPostgres();
  const options = { url, dataDir: '', migrate: true, saveTimeoutMs: PATIENCE_MS };
  const opened = {
    url,
    database: await open(options),
    async reopen() {
      await opened.database.close();
      opened.database = await open(options);
      return opened.database;
    },
    async close() {
      await opened.database.close();
      await remove();
    },
  };
  return opened;
}

interface PostgresCopy {
  readonly url: string;
  /** Whether or not somebody is still connected. */
  readonly remove: () => Promise<void>;
}

/**
 * A migrated database on the Postgres server that nobody uses. To drop one makes Postgres write all
 * that it has to the disk, so the next test of the file gets the same one, emptied.
 */
export async function copyOnPostgres(): Promise<PostgresCopy> {
  const { url, drop } = emptiedOnPostgres.pop() ?? (await newCopyOnPostgres());
  const remove = async () => {
    if (await emptyOnPostgres(url)) emptiedOnPostgres.push({ url, drop });
    else await drop();
  };
  return { url, remove };
}

interface Droppable {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

const emptiedOnPostgres: Droppable[] = [];
afterAll(() => Promise.all(emptiedOnPostgres.splice(0).map(({ drop }) => drop())));

/** The schema of the first one that a file has made, and so of all. */
let copied: string | undefined;

async function newCopyOnPostgres(): Promise<Droppable> {
  const made = await createPostgresDatabase(await postgresTemplate());
  copied ??= await onServer(describeSchema, asSuperuser(made.url));
  return made;
}

/** False if the database can't be as new: a test has changed its schema, or filled it. */
function emptyOnPostgres(url: string): Promise<boolean> {
  return onServer(async (client) => {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    const { rows } = await client.query<{ size: string }>(
      'SELECT pg_database_size(current_database()) AS size',
    );
    if (Number(rows[0]?.size) > MOST_BYTES || (await describeSchema(client)) !== copied)
      return false;
    await client.query(EMPTY);
    return true;
  }, asSuperuser(url));
}

/** Above this, to delete the rows takes longer than to drop the database. */
const MOST_BYTES = 30_000_000;

/** Rows of tables, and the counts of sequences; as a replica, so that foreign keys don't matter. */
const EMPTY = `
  SET session_replication_role = replica;
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
      EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
      EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP;
  END $$`;

/** Tables with their columns and triggers, indexes, functions, and settings of the database. */
const SCHEMA = `
  SELECT concat_ws(' ', c.relkind, c.relname, c.relrowsecurity, a.attname, format_type(a.atttypid, a.atttypmod)) AS line
    FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'trigger ' || tgname || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'function ' || proname || md5(prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT 'policy ' || policyname || qual FROM pg_policies
  UNION ALL SELECT 'setting ' || array_to_string(setconfig, ' ') FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database()
  UNION ALL SELECT 'migration ' || name FROM migrations
  ORDER BY 1`;

async function describeSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ line: string }>(SCHEMA);
  return rows.map(({ line }) => line).join('\n');
}

function asSuperuser(url: string): string {
  const { pathname } = new URL(url);
  return Object.assign(new URL(SERVER), { pathname }).href;
}

/**
 * A database on the Postgres server, without tables unless it is copied from one that has some.
 * `options` are those of `CREATE DATABASE`.
 */
export async function createPostgresDatabase(
  template = 'template1',
  options = '',
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `parley_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(async (client) => {
    await createUser(client);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${USER} ${options}`);
  });
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  url.username = USER;
  const drop = async () => {
    await onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  };
  return { url: url.href, drop };
}

async function createUser(client: pg.Client): Promise<void> {
  const { password } = new URL(SERVER);
  const secret = client.escapeLiteral(decodeURIComponent(password));
  try {
    await client.query(`CREATE ROLE ${USER} LOGIN PASSWORD ${secret}`);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (!IS_THERE.has(code)) throw error;
  }
}

async function open(options: OpenOptions): Promise<Database> {
  return (await opening()).openDatabase(options);
}

/** Loaded when a test opens a database: the server's processes need none of it here. */
function opening(): Promise<
  typeof import('../../../src/storage/typeorm/connection/open-database.js')
> {
  return import('../../../src/storage/typeorm/connection/open-database.js');
}

function embeddedDatabase(): Promise<
  typeof import('../../../src/storage/typeorm/connection/embedded-database.js')
> {
  return import('../../../src/storage/typeorm/connection/embedded-database.js');
}

async function onServer<T>(
  work: (client: pg.Client) => Promise<T>,
  connectionString = SERVER,
): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let prepared: Promise<string> | undefined;

/**
 * A folder that holds a migrated embedded database, kept between runs. A change of PGlite or of a
 * migration makes a new one.
 */
function template(): Promise<string> {
  return (prepared ??= findOrMakeTemplate());
}

async function findOrMakeTemplate(): Promise<string> {
  return madeOnce('pglite', await fingerprint(), async (dataDir) => {
    await (await open({ dataDir, migrate: true })).close();
  });
}

/**
 * The same on the Postgres server: a migrated database that no connection is open to, as `CREATE
 * DATABASE` needs it.
 */
async function postgresTemplate(): Promise<string> {
  const name = `parley_template_${await fingerprint()}`;
  await onServer(async (client) => {
    await client.query(`SELECT pg_advisory_lock(hashtext('${name}'))`); // until the connection ends
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount) return;
    const { url, drop } = await createPostgresDatabase();
    try {
      await (await open({ url, dataDir: '', migrate: true })).close();
      await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${name}`);
    } catch (error) {
      await drop();
      throw error;
    }
  });
  return name;
}

async function fingerprint(): Promise<string> {
  const packageJson = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const values = [USER, await readFile(packageJson, 'utf8')];
  const started = 'src/storage/typeorm/connection/embedded-database.ts';
  return fingerprintOf(values, [started, ...(await filesIn('migrations', /\.ts$/))]);
}
