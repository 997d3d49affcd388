import type { KeyStore } from '../auth/keys/key-store.js';
import type { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { DataDirLock } from './data-dir-lock.js';

/** An open key store, without the rest of the storage. */
export interface OpenKeyStore {
  readonly keys: KeyStore;
  close(): Promise<void>;
}

/**
 * Opens the API keys of the configured storage.
 * @throws AppError `data_dir_locked` while a server uses `DATA_DIR`, which then has to change them
 */
export async function openKeyStore(config: Config): Promise<OpenKeyStore> {
  if (config.databaseUrl) return openDatabaseKeys(config);
  const lock = await acquire(config.dataDir);
  try {
    const opened = await (config.store === 'file'
      ? openFileKeys(config)
      : openDatabaseKeys(config));
    return {
      keys: opened.keys,
      async close() {
        await opened.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function acquire(dataDir: string): Promise<DataDirLock> {
  try {
    return await DataDirLock.acquire(dataDir);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'data_dir_locked') throw cause;
    const message = `A server is using ${dataDir}, and only it can change its keys. Use its API with ADMIN_KEY: POST /keys, GET /keys, DELETE /keys/{id} (docs/auth.md); or stop it first.`;
    throw new AppError(cause.kind, cause.code, message, { cause });
  }
}

async function openFileKeys({ dataDir }: Config): Promise<OpenKeyStore> {
  const { FileKeyStore } = await import('./file/file-key-store.js');
  const keys = await FileKeyStore.open(dataDir);
  return { keys, close: () => keys.close() };
}

async function openDatabaseKeys({ databaseUrl, dataDir, migrate }: Config): Promise<OpenKeyStore> {
  const { openDatabase } = await import('./typeorm/connection/open-database.js');
  const { TypeOrmKeyStore } = await import('./typeorm/stores/typeorm-key-store.js');
  const url = databaseUrl?.reveal();
  const database = await openDatabase({ ...(url !== undefined && { url }), dataDir, migrate });
  return { keys: new TypeOrmKeyStore(database), close: () => database.close() };
}
