import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const SERVER =
  process.env.BENCH_DATABASE_URL ??
  process.env.TEST_DATABASE_URL ??
  'postgres://postgres@127.0.0.1:5432/postgres';

export const STORES = ['embedded', 'postgres', 'file'];

const open = new Set();

/**
 * A new, empty place to save to: the environment that makes the server use it, and how to remove
 * it. Throws when it can't be had. `label` is in the name of a database.
 */
export async function openStore(kind, { label = '' } = {}) {
  const store = await createStore(kind, label);
  const remove = async () => {
    await store.remove();
    open.delete(remove);
  };
  open.add(remove);
  return { ...store, remove };
}

/** For an end before the end. Tells of what it could not remove. */
export async function removeStores() {
  const removed = await Promise.allSettled([...open].map((remove) => remove()));
  for (const { reason } of removed) if (reason) console.error(reason);
}

async function createStore(kind, label) {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const removeDir = () => rm(dataDir, { recursive: true, force: true });
  const env = { DATA_DIR: dataDir, STORE: kind === 'file' ? 'file' : 'database', DATABASE_URL: '' };
  if (kind !== 'postgres') return { kind, env, remove: removeDir };
  const database = await createDatabase(label);
  return {
    kind,
    env: { ...env, DATABASE_URL: database.url },
    url: database.url,
    remove: async () => {
      await database.drop();
      await removeDir();
    },
  };
}

async function createDatabase(label) {
  const name = `parley_bench_${label && `${label}_`}${randomUUID().replaceAll('-', '')}`;
  await query(SERVER, `CREATE DATABASE ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const drop = () => query(SERVER, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: url.href, drop };
}

/**
 * Rows written to a database, and transactions committed in it, since its statistics began. Counted
 * when connections close.
 */
export async function countWrites(url) {
  const name = new URL(url).pathname.slice(1);
  const [row] = await query(
    SERVER,
    `SELECT xact_commit::integer AS commits, (tup_inserted + tup_updated)::integer AS rows
     FROM pg_stat_database WHERE datname = '${name}'`,
  );
  return row;
}

/** Interactions of a database that nobody runs because they wait for people. */
export async function countParked(url) {
  const [row] = await query(
    url,
    `SELECT count(*)::integer AS parked FROM interactions
     WHERE owner IS NULL AND parked_signals IS NOT NULL`,
  );
  return row.parked;
}

/** Asks on a connection of its own, and answers with the rows. */
export async function query(url, sql, values) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
