import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { ConfigError } from './config/config-error.js';
import { AppConfigModule } from './config/config.module.js';
import { Config } from './config/config.js';
import { keepFilesPrivate } from './kernel/disk/umask.js';
import { DataDirLock } from './storage/data-dir-lock.js';
import { migrateDatabase } from './storage/typeorm/connection/open-database.js';
import { messageOf } from './kernel/app-error.js';

/** `npm run migrate`: migrates the database and exits. */
async function main(): Promise<string> {
  keepFilesPrivate();
  const context = await NestFactory.createApplicationContext(await AppConfigModule.forRoot(), {
    logger: false,
  });
  const { databaseUrl, dataDir, store } = context.get(Config);
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

try {
  parseArgs({ options: {} });
} catch {
  process.stderr.write(
    'Usage: npm run migrate\n    takes no arguments; DATABASE_URL or DATA_DIR say which database\n',
  );
  process.exit(64);
}

try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  const message = messageOf(error);
  process.stderr.write(`${message}\n`);
  process.exit(error instanceof ConfigError ? 78 : 1);
}
