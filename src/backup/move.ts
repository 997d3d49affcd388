import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { DataDirLock } from '../storage/data-dir-lock.js';
import type { SavedTables } from '../storage/table-rows.js';
import { openFileTables } from './file-tables.js';

/**
 * Copies the store in `DATA_DIR` into an empty Postgres database. The bytes of files and the
 * workspaces stay where they are. Returns the number of rows.
 * @throws AppError `data_dir_locked` while a server uses it, `unsaved_records`, `nothing_to_move`,
 * `restore_not_empty`
 */
export async function move(config: Config, url: string): Promise<number> {
  const { dataDir, store, databaseUrl } = config;
  if (databaseUrl) throw nothing('DATABASE_URL is set: the data is on a server already');
  const lock = await DataDirLock.acquire(dataDir);
  try {
    if (!existsSync(join(dataDir, store === 'file' ? 'chats' : 'db')))
      throw nothing(`there is no store in DATA_DIR ${dataDir}`);
    await requireSaved(dataDir);
    const { openTables } = await import('../storage/typeorm/backup/open-tables.js');
    return await copyTables(
      await (store === 'file' ? openFileTables(dataDir) : openTables({ dataDir })),
      url,
    );
  } finally {
    await lock.release();
  }
}

async function copyTables(tables: SavedTables, url: string): Promise<number> {
  const { openEmptyTables } = await import('../storage/typeorm/backup/open-tables.js');
  try {
    const target = await openEmptyTables({ url }, tables.migrations);
    try {
      let count = 0;
      for await (const rows of tables.read()) {
        await target.writer.add(rows);
        count += rows.rows.length;
      }
      await target.writer.commit();
      return count;
    } finally {
      await target.close();
    }
  } finally {
    await tables.close();
  }
}

/** The server saves them, once it runs. */
async function requireSaved(dataDir: string): Promise<void> {
  const spill = join(dataDir, 'spill');
  const names = existsSync(spill) ? await readdir(spill) : [];
  if (!names.some((name) => name.endsWith('.jsonl'))) return;
  const message = `There are unsaved records in ${spill}. Start the server until they are saved, stop it, and move then.`;
  throw new AppError('conflict', 'unsaved_records', message);
}

function nothing(why: string): AppError {
  return new AppError('conflict', 'nothing_to_move', `There is nothing to move: ${why}.`);
}
