import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import type { Stores } from '../../src/ports.module.js';
import { FileRuleStore } from '../../src/storage/file/file-rule-store.js';
import { FileTaskStore } from '../../src/storage/file/file-task-store.js';
import { FileInteractionStore } from '../../src/storage/file/file-interaction-store.js';
import { TypeOrmRuleStore } from '../../src/storage/typeorm/typeorm-rule-store.js';
import { TypeOrmTaskStore } from '../../src/storage/typeorm/typeorm-task-store.js';
import { TypeOrmChatArchive } from '../../src/storage/typeorm/typeorm-chat-archive.js';
import { TypeOrmInteractionStore } from '../../src/storage/typeorm/typeorm-interaction-store.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from '../support/databases.js';
import { findRedisServerFault } from '../support/redis-server.js';
import type { Database } from '../../src/storage/typeorm/database.js';
import type { ReportProblem } from '../../src/storage/file/report-problem.js';
import type { TestDatabase } from '../support/databases.js';

export interface OpenStore {
  /** The newest; `reopen` replaces them. */
  readonly stores: Stores;
  /** Closes it and opens it again, as a restarted process would. */
  reopen(): Promise<void>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
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

export const PGLITE: StoreKind = {
  name: 'PGlite',
  open: async () => onDatabase(await openTestPglite()),
};

export const POSTGRES: StoreKind = {
  name: 'Postgres',
  fault: await findPostgresFault(),
  open: async () => onDatabase(await openTestPostgres()),
};

/** Every store that the server can run on. */
export const STORES: readonly StoreKind[] = [PGLITE, POSTGRES, FILES];

/** Postgres with several processes, which share a Redis. */
export function clusterStore(): StoreKind {
  const fault = POSTGRES.fault ?? findRedisServerFault();
  return { ...POSTGRES, name: 'a cluster', fault, isCluster: true };
}

function onDatabase(opened: TestDatabase): OpenStore {
  const on = {
    stores: storesOn(opened.database),
    async reopen() {
      on.stores = storesOn(await opened.reopen());
    },
    close: () => opened.close(),
  };
  return on;
}

function storesOn(database: Database): Stores {
  return {
    store: new TypeOrmInteractionStore(database),
    rules: new TypeOrmRuleStore(database),
    tasks: new TypeOrmTaskStore(database),
    archive: new TypeOrmChatArchive(database),
  };
}

async function openFiles(): Promise<OpenStore> {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-e2e-'));
  const report: ReportProblem = ({ path, message }) => {
    throw new Error(`${path}: ${message}`);
  };
  const open = async () => {
    const clock = new SystemClock();
    const store = await FileInteractionStore.open({ data_dir, clock, report });
    const tasks = await FileTaskStore.open(store.folders, report);
    return { store, tasks, archive: store.archive, rules: await FileRuleStore.open({ data_dir }) };
  };
  const closeAll = async () => {
    await on.stores.tasks.close();
    await on.stores.store.close();
    await on.stores.rules.close();
  };
  const on = {
    stores: await open(),
    async reopen() {
      await closeAll();
      on.stores = await open();
    },
    async close() {
      await closeAll();
      await rm(data_dir, { recursive: true, force: true });
    },
  };
  return on;
}
