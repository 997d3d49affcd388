import { TypeOrmRuleStore } from '../../src/storage/typeorm/stores/typeorm-rule-store.js';
import type { TestDatabase } from '../support/databases.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from '../support/databases.js';
import { ruleStoreContract } from './rule-store.contract.js';

const fault = await findPostgresFault();

ruleStoreContract('TypeOrmRuleStore on PGlite', () => opened(openTestPglite));

if (fault)
  describe.skip(`TypeOrmRuleStore on Postgres: ${fault}`, () => it('is skipped', () => {}));
else ruleStoreContract('TypeOrmRuleStore on Postgres', () => opened(openTestPostgres));

async function opened(open: () => Promise<TestDatabase>) {
  const tested = await open();
  return {
    store: new TypeOrmRuleStore(tested.database),
    reopen: async () => new TypeOrmRuleStore(await tested.reopen()),
    close: () => tested.close(),
  };
}
