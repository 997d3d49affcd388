import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../src/config/load-config.js';
import { copyOfTemplate, copyOnPostgres, findPostgresFault } from '../store/databases.js';
import { ALL, EVERY_STORE } from '../thoroughness.js';

/** The place where a server process keeps its data. */
export interface ProcessData {
  /** Names it. */
  readonly env: Environment;
  readonly remove: () => Promise<unknown>;
}

export interface ProcessStore {
  readonly name: string;
  /** The reason why it can't be tested here. */
  readonly fault?: string | undefined;
  /** Empty. */
  readonly create: () => Promise<ProcessData>;
}

export const PGLITE: ProcessStore = {
  name: 'PGlite',
  create: async () => inFolder(await copyOfTemplate()),
};

export const POSTGRES: ProcessStore = {
  name: 'Postgres',
  fault: await findPostgresFault(),
  create: async () => {
    const copy = await copyOnPostgres();
    const { env, remove } = inFolder(await makeFolder(), { DATABASE_URL: copy.url });
    return { env, remove: () => Promise.all([copy.remove(), remove()]) };
  },
};

export const FILES: ProcessStore = {
  name: 'files',
  create: async () => inFolder(await makeFolder(), { STORE: 'file' }),
};

/**
 * Files, where a killed server's interactions are free at once. With `TEST_ALL=1` also the last of
 * the others, where each kill has a lease to wait for; with `EXHAUSTIVE=1` all of them.
 */
export function onStores(...others: readonly ProcessStore[]): readonly ProcessStore[] {
  if (EVERY_STORE) return [FILES, ...others];
  return ALL ? [FILES, ...others.slice(-1)] : [FILES];
}

/** For slow specs in which the store has no part: the last; with `EXHAUSTIVE=1` files and all. */
export function onOneStore(...others: readonly ProcessStore[]): readonly ProcessStore[] {
  return EVERY_STORE ? [FILES, ...others] : others.slice(-1);
}

function inFolder(folder: string, env: Environment = {}): ProcessData {
  return {
    env: { DATA_DIR: folder, ...env },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'parley-faults-'));
}
