import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import type { Clock } from '../kernel/clock.js';
import { findExposure, makePrivateFolder } from '../kernel/disk/private-folder.js';
import { DataDirLock } from './data-dir-lock.js';
import type { AllStores } from './stores.js';

/** Delay of a vacuum after a start or a deletion, in milliseconds. */
const VACUUM_PAUSE_MS = 2_000;

/** Asks the process that holds the lock for a copy of its store. */
export const SNAPSHOT = 'snapshot';
const SNAPSHOT_PREFIX = '.snapshot-';
const LEFT_OVER = /^\.(snapshot|restore)-/;

/** The open stores, and the function that closes them. */
export interface Storage extends AllStores {
  close(): Promise<void>;
  /** Copies what `DATA_DIR` has of the store into a folder; not of a Postgres server. */
  copyTo(path: string): Promise<void>;
}

/**
 * Opens the configured storage: a Postgres server, the embedded database, or files. The latter two
 * lock `DATA_DIR`.
 * @param clock follows that of a Postgres server
 * @param report called with each problem that the operator should know
 * @throws AppError with a message for the operator
 */
export async function openStorage(
  config: Config,
  clock: Clock,
  report: (problem: string) => void,
): Promise<Storage> {
  await makePrivateFolder('DATA_DIR', config.dataDir);
  const exposure = await findExposure('DATA_DIR', config.dataDir);
  if (exposure) report(exposure);
  if (config.databaseUrl) return openDatabaseStorage(config, clock, report);
  const lock = await DataDirLock.acquire(config.dataDir);
  try {
    const open = config.store === 'file' ? openFileStorage : openDatabaseStorage;
    const storage = await open(config, clock, report);
    await removeLeftOvers(config.dataDir);
    lock.answer = (request) => answerWith(request, config.dataDir, storage);
    return { ...storage, close: () => closeAndRelease(storage, lock) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function closeAndRelease(storage: Storage, lock: DataDirLock): Promise<void> {
  try {
    await storage.close();
  } finally {
    await lock.release();
  }
}

/** Makes a copy of the store for the process that asks, which removes it. */
async function answerWith(request: string, dataDir: string, storage: Storage): Promise<string> {
  if (request !== SNAPSHOT) throw new Error(`The process answers no "${request}".`);
  const path = join(dataDir, `${SNAPSHOT_PREFIX}${randomUUID()}`);
  try {
    await storage.copyTo(path);
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw error;
  }
  return JSON.stringify({ path });
}

/** Removes the files of backups and restores that were killed. */
async function removeLeftOvers(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => LEFT_OVER.test(name));
  for (const name of names) await rm(join(dataDir, name), { recursive: true, force: true });
}

async function openDatabaseStorage(
  config: Config,
  clock: Clock,
  report: (problem: string) => void,
): Promise<Storage> {
  const { openDatabase } = await import('./typeorm/connection/open-database.js');
  const { expireLeases } = await import('./typeorm/stores/typeorm-lease-store.js');
  const { releaseWebhooks } = await import('./typeorm/stores/typeorm-webhook-outbox.js');
  const { createStores } = await import('./typeorm/create-stores.js');
  const { OtherProcesses } = await import('./typeorm/connection/other-processes.js');
  const { bypassesRowSecurity } = await import('./typeorm/connection/row-security.js');
  const { Vacuum } = await import('./typeorm/connection/vacuum.js');
  const database = await openDatabase({
    ...(config.databaseUrl && { url: config.databaseUrl.reveal() }),
    dataDir: config.dataDir,
    migrate: config.migrate,
    saveTimeoutMs: config.saveTimeoutMs,
    clock,
    onWait: report,
  });
  const others =
    config.databaseUrl && !config.redisUrl ? new OtherProcesses(database.runs, report) : undefined;
  await others?.check();
  if (config.databaseUrl && !config.auth.includes('none') && (await bypassesRowSecurity(database)))
    report(
      'The user of DATABASE_URL is a superuser or has BYPASSRLS, so that row-level security does not keep tenants apart as a third line. Give Parley an ordinary user that owns its database (docs/security.md).',
    );
  const vacuum = config.databaseUrl ? undefined : new Vacuum(database, VACUUM_PAUSE_MS);
  if (vacuum) {
    await expireLeases(database);
    await releaseWebhooks(database);
  }
  vacuum?.request();
  return {
    ...createStores(database, vacuum, others),
    copyTo: (path) => database.copyTo(join(path, 'db')),
    async close() {
      await vacuum?.stop();
      await database.close();
    },
  };
}

async function openFileStorage(
  config: Config,
  clock: Clock,
  report: (problem: string) => void,
): Promise<Storage> {
  const { openFileStores } = await import('./file/file-stores.js');
  return openFileStores({
    data_dir: config.dataDir,
    clock,
    report: ({ path, message }) => report(`${path}: ${message}`),
  });
}
