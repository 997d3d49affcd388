import { NestFactory } from '@nestjs/core';
import { ConfigError } from './config/config-error.js';
import { AppConfigModule } from './config/config.module.js';
import { Config } from './config/config.js';
import { keepFilesPrivate } from './kernel/umask.js';
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
    await migrateDatabase({ url: databaseUrl.reveal(), dataDir });
    return 'The tables are up to date.';
  }
  const lock = await DataDirLock.acquire(dataDir);
  try {
    await migrateDatabase({ dataDir });
  } finally {
    await lock.release();
  }
  return `The tables in ${dataDir}/db are up to date.`;
}

try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  const message = messageOf(error);
  process.stderr.write(`${message}\n`);
  process.exit(error instanceof ConfigError ? 78 : 1);
}
