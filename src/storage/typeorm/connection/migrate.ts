import type { DatabaseTarget } from './database-target.js';
import { openDatabase } from './open-database.js';

/**
 * Brings the tables up to date and closes again: what `npm run migrate` does. Of an embedded database hold the data directory's lock.
 * @throws AppError as `openDatabase`
 */
export async function migrate(target: DatabaseTarget): Promise<void> {
  const database = await openDatabase({ ...target, migrate: true });
  await database.close();
}
