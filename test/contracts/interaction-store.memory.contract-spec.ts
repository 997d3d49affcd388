import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { wholeStore } from '../support/whole-store.js';
import { interactionStoreContract } from './interaction-store.contract.js';

interactionStoreContract('memory', async () => ({
  store: wholeStore(openMemoryStores()),
  close: async () => {},
}));
