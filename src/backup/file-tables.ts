import { SystemClock } from '../kernel/clock.js';
import type { SavedTables } from '../storage/table-rows.js';

/** The file store in a folder, as rows of tables. The caller holds its lock. */
export async function openFileTables(dataDir: string): Promise<SavedTables> {
  const { openFileStores } = await import('../storage/file/file-stores.js');
  const { MIGRATION_NAMES } = await import('../storage/typeorm/backup/open-tables.js');
  const stores = await openFileStores({
    data_dir: dataDir,
    clock: new SystemClock(),
    report: ({ path, message }) => process.stderr.write(`${path}: ${message}\n`),
  });
  return {
    migrations: MIGRATION_NAMES,
    read: () => stores.readRows(),
    close: () => stores.close(),
  };
}
