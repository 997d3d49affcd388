import type { NewChat } from '../../src/persistence/rows/chat-rows.js';
import { TypeOrmChatStore } from '../../src/storage/typeorm/stores/typeorm-chat-store.js';
import { TypeOrmRuleStore } from '../../src/storage/typeorm/stores/typeorm-rule-store.js';
import { DATABASES } from '../support/store/database-kinds.js';
import type { TestDatabase } from '../support/store/databases.js';
import { ruleStoreContract } from './rule-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const { name, fault, open } of DATABASES) {
  const title = `${TypeOrmRuleStore.name} on ${name}`;
  if (fault) skipContract(title, fault);
  else ruleStoreContract(title, () => opened(open));
}

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
