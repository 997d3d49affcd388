import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import type { AllStores } from '../../src/storage/stores.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import * as databases from '../support/store/database-kinds.js';
import type { DatabaseKind } from '../support/store/database-kinds.js';
import { findRedisServerFault } from '../support/store/redis-server.js';
import type { ReportProblem } from '../../src/storage/file/report-problem.js';
import type { TestDatabase } from '../support/store/databases.js';
import { BuiltProgram } from '../support/server/built-program.js';
import type { SuiteServer } from '../support/server/suite-server.js';
import type { TestServerOptions } from '../support/server/test-server.js';

export interface OpenStore {
  /** The newest; `reopen` replaces them. */
  readonly stores: AllStores;
  /** Closes it and opens it again, as a restarted process would. */
  reopen(): Promise<void>;
  /** Changes the body of a saved record by hand. */
  damage(interactionId: string, seq: number): Promise<void>;
  /** All that it has saved, as text. */
  dump(): Promise<string>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
  /** Starts a server on it, if that is not one in this process. */
  start?(options: TestServerOptions): Promise<SuiteServer>;
}

export interface StoreKind {
  readonly name: string;
  /** Why it can't be tested here. */
  readonly fault?: string | undefined;
  /** Servers on it are two API processes and two workers. */
  readonly isCluster?: true;
  /** An empty one. */
  open(): Promise<OpenStore>;
}

export const FILES: StoreKind = { name: 'files', open: openFiles };

export const PGLITE: StoreKind = onDatabase(databases.PGLITE);

export const POSTGRES: StoreKind = onDatabase(databases.POSTGRES);

/** The folder of a program that users start, as a process of its own. */
export const BUILT: StoreKind = { name: 'the built program', open: openFolder };

/** The stores that the server can run on; PGlite not always, see `DATABASES`. */
export const STORES: readonly StoreKind[] = [...databases.DATABASES.map(onDatabase), FILES];

/** Postgres with several processes, which share a Redis. */
export function clusterStore(): StoreKind {
  const fault = POSTGRES.fault ?? findRedisServerFault();
  return { ...POSTGRES, name: 'a cluster', fault, isCluster: true };
}

function onDatabase(kind: DatabaseKind): StoreKind {
  return { ...kind, open: async () => openOn(await kind.open()) };
}

function openOn(opened: TestDatabase): OpenStore {
  const on = {
    stores: createStores(opened.database),
    async reopen() {
      on.stores = createStores(await opened.reopen());
    },
    async damage(interactionId: string, seq: number) {
      const text = "UPDATE records SET body = '[]' WHERE interaction_id = $1 AND seq = $2";
      await opened.database.query({ text }, [interactionId, seq]);
    },
    dump: () => dumpTables(opened.database),
    close: () => opened.close(),
  };
  return on;
}

async function dumpTables(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    { text: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'" },
    [],
  );
  const rows = tables.map(({ name }) =>
    database.query<{ row: string }>({ text: `SELECT t::text AS row FROM ${name} t` }, []),
  );
  return (await Promise.all(rows)).flatMap((each) => each.map(({ row }) => row)).join('\n');
}

async function openFiles(): Promise<OpenStore> {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-e2e-'));
  const report: ReportProblem = ({ path, message }) => {
    throw new Error(`${path}: ${message}`);
  };
  const open = () => openFileStores({ data_dir, clock: new SystemClock(), report });
  let opened = await open();
  const on = {
    stores: opened,
    async reopen() {
      await opened.close();
      on.stores = opened = await open();
    },
    async damage(interactionId: string, seq: number) {
      const names = await readdir(data_dir, { recursive: true });
      const path = join(
        data_dir,
        names.find((name) => name.includes(`/${interactionId}.events`))!,
      );
      const text = await readFile(path, 'latin1');
      // Of the same length, so that what is after it is where it was.
      await writeFile(
        path,
        text.replace(new RegExp(`(?<=\\n)\\{"seq":${seq},`), (s) => s.replace('{', '[')),
        'latin1',
      );
    },
    async dump() {
      const entries = await readdir(data_dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const texts = files.map(
        ({ parentPath, name }) => readFile(join(parentPath, name), 'utf8').catch(() => ''), // replaced meanwhile
      );
      return (await Promise.all(texts)).join('\n');
    },
    async close() {
      await opened.close();
      await rm(data_dir, { recursive: true, force: true });
    },
  };
  return on;
}

async function openFolder(): Promise<OpenStore> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-e2e-'));
  const isOfProcess = () => {
    throw new Error('The store of a process of its own is not open here.');
  };
  return {
    get stores() {
      return isOfProcess();
    },
    reopen: () => Promise.resolve(),
    damage: isOfProcess,
    dump: isOfProcess,
    close: () => rm(folder, { recursive: true, force: true }),
    start: (options) => BuiltProgram.start(folder, options),
  };
}
