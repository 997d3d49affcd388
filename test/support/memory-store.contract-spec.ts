import { interactionStoreContract } from '../contracts/interaction-store.contract.js';
import { MemoryStore } from './memory-store.js';

interactionStoreContract(MemoryStore.name, async () => {
  const store = new MemoryStore();
  return { store, reopen: async () => store, close: async () => {} };
});
