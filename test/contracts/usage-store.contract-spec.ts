import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { wholeStore } from '../support/store/whole-store.js';
import { STORES } from '../e2e/stores.js';
import { usageStoreContract } from './usage-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

usageStoreContract('memory', async () => {
  const stores = openMemoryStores();
  return { store: wholeStore(stores), usage: stores.usage, close: async () => {} };
});

for (const kind of STORES) {
  const { name, fault } = kind;
  if (fault) skipContract(name, fault);
  else
    usageStoreContract(name, async () => {
      const opened = await kind.open();
      const { stores } = opened;
      return { store: wholeStore(stores), usage: stores.usage, close: () => opened.close() };
    });
}
