import { createStores } from '../../../src/storage/typeorm/create-stores.js';
import type { Database } from '../../../src/storage/typeorm/connection/database.js';
import type { Vacuum } from '../../../src/storage/typeorm/connection/vacuum.js';
import type { WholeStore } from './whole-store.js';
import { wholeStore } from './whole-store.js';

/** The ports in Postgres as one object. */
export function typeOrmStore(database: Database, vacuum?: Vacuum): WholeStore {
  return wholeStore(createStores(database, vacuum));
}
