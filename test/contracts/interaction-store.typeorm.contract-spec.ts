import { typeOrmStore } from '../support/store/typeorm-store.js';
import { DATABASES } from '../support/store/database-kinds.js';
import type { TestDatabase } from '../support/store/databases.js';
import { interactionStoreContract } from './interaction-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const { name, fault, open } of DATABASES) {
  const title = `TypeOrmInteractionStore on ${name}`;
  if (fault) skipContract(title, fault);
  else interactionStoreContract(title, () => opened(open));
}

async function opened(open: () => Promise<TestDatabase>) {
  const tested = await open();
  return {
    store: typeOrmStore(tested.database),
    reopen: async () => typeOrmStore(await tested.reopen()),
    reopensSlowly: true,
    close: () => tested.close(),
  };
}
