import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { STORES } from '../e2e/stores.js';
import { fileCatalogContract } from './file-catalog.contract.js';
import { skipContract } from '../support/skip-contract.js';

fileCatalogContract('memory', async () => {
  const { files, chats, interactions, usage } = openMemoryStores();
  return { files, chats, interactions, usage, close: async () => {} };
});

for (const kind of STORES) {
  const { name, fault } = kind;
  if (fault) skipContract(name, fault);
  else
    fileCatalogContract(name, async () => {
      const opened = await kind.open();
      return {
        get files() {
          return opened.stores.files;
        },
        get chats() {
          return opened.stores.chats;
        },
        get interactions() {
          return opened.stores.interactions;
        },
        get usage() {
          return opened.stores.usage;
        },
        reopen: () => opened.reopen(),
        close: () => opened.close(),
      };
    });
}
