import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from './config/config.module.js';
import { runProgram } from './run-program.js';
import { DataDirLock } from './storage/data-dir-lock.js';
import { migrateDatabase } from './storage/typeorm/connection/open-database.js';

async function migrate(): Promise<string> {
  const { databaseUrl, dataDir, store } = await readConfig();
  if (store === 'file') return 'STORE=file has no tables to migrate.';
  if (databaseUrl) {
    return describe(await migrateDatabase({ url: databaseUrl.reveal(), dataDir }));
  }
  const lock = await DataDirLock.acquire(dataDir);
  try {
    const isNew = !existsSync(join(dataDir, 'db'));
    const ran = await migrateDatabase({ dataDir });
    return `${dataDir}/db: ${isNew ? 'a new database, with all tables.' : describe(ran)}`;
  } finally {
    await lock.release();
  }
}

function describe(ran: readonly string[]): string {
  if (ran.length === 0) return 'Nothing to do: the tables are up to date.';
  const count = ran.length === 1 ? '1 migration' : `${ran.length} migrations`;
  return `${count} ran: ${ran.join(', ')}. The tables are up to date.`;
}

/** `npm run migrate`: migrates the database and exits. */
await runProgram({
  usage:
    'Usage: npm run migrate\n    takes no arguments; DATABASE_URL or DATA_DIR say which database',
  readCommand() {
    try {
      parseArgs({ options: {} });
    } catch (cause) {
      throw new Error('', { cause }); // the usage says all
    }
  },
  run: migrate,
});
