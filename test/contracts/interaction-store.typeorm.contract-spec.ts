import { typeOrmStore } from '../support/store/typeorm-store.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from '../support/store/databases.js';
import { interactionStoreContract } from './interaction-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

const fault = await findPostgresFault();

interactionStoreContract('TypeOrmInteractionStore on PGlite', () => opened(openTestPglite));

if (fault) skipContract('TypeOrmInteractionStore on Postgres', fault);
else
  interactionStoreContract('TypeOrmInteractionStore on Postgres', () => opened(openTestPostgres));

async function opened(open: () => Promise<TestDatabase>) {
  const tested = await open();
  return {
    store: typeOrmStore(tested.database),
    reopen: async () => typeOrmStore(await tested.reopen()),
    reopensSlowly: true,
    close: () => tested.close(),
  };
}
