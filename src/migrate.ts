import { ConfigError } from './config/config-error.js';
import { loadConfig } from './config/load-config.js';
import { readEnvironment } from './config/read-environment.js';
import { DataDirLock } from './storage/data-dir-lock.js';
import { migrate } from './storage/typeorm/connection/open-database.js';

/** `npm run migrate`: brings the database's tables up to date, and ends. */
async function main(): Promise<string> {
  const { databaseUrl, dataDir, store } = loadConfig(readEnvironment(), process.stdout.isTTY);
  if (store === 'file') return 'STORE=file has no tables: there is nothing to migrate.';
  if (databaseUrl) {
    await migrate({ url: databaseUrl.reveal(), dataDir });
    return 'The tables are up to date.';
  }
  const lock = await DataDirLock.acquire(dataDir);
  try {
    await migrate({ dataDir });
  } finally {
    await lock.release();
  }
  return `The tables in ${dataDir}/db are up to date.`;
}

try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(error instanceof ConfigError ? 78 : 1);
}
