import { FileTaskStore } from '../../src/storage/file/file-task-store.js';
import { TypeOrmTaskStore } from '../../src/storage/typeorm/stores/typeorm-task-store.js';
import { STORES } from '../e2e/stores.js';
import { taskStoreContract } from './task-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const kind of STORES) {
  const { name, fault } = kind;
  const store = name === 'files' ? FileTaskStore : TypeOrmTaskStore;
  const title = `${store.name} on ${name}`;
  if (fault) skipContract(title, fault);
  else
    taskStoreContract(title, async () => {
      const opened = await kind.open();
      return {
        get tasks() {
          return opened.stores.tasks;
        },
        get chats() {
          return opened.stores.chats;
        },
        reopen: () => opened.reopen(),
        close: () => opened.close(),
      };
    });
}
