import type { NewChat } from '../../src/persistence/rows/chat-rows.js';
import { TypeOrmChatStore } from '../../src/storage/typeorm/stores/typeorm-chat-store.js';
import { TypeOrmRuleStore } from '../../src/storage/typeorm/stores/typeorm-rule-store.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from '../support/store/databases.js';
import { ruleStoreContract } from './rule-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

const fault = await findPostgresFault();

ruleStoreContract('TypeOrmRuleStore on PGlite', () => opened(openTestPglite));

if (fault) skipContract('TypeOrmRuleStore on Postgres', fault);
else ruleStoreContract('TypeOrmRuleStore on Postgres', () => opened(openTestPostgres));

async function opened(open: () => Promise<TestDatabase>) {
  const tested = await open();
  let chats = new TypeOrmChatStore(tested.database);
  return {
    store: new TypeOrmRuleStore(tested.database),
    async makeChat(chat: NewChat) {
      await chats.createChat(chat);
    },
    async deleteChat(uid: string) {
      await chats.deleteChat(uid);
    },
    async reopen() {
      const database = await tested.reopen();
      chats = new TypeOrmChatStore(database);
      return new TypeOrmRuleStore(database);
    },
    close: () => tested.close(),
  };
}
