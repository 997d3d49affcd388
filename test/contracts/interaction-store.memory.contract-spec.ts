import { memoryStore } from '../support/store/whole-store.js';
import { interactionStoreContract } from './interaction-store.contract.js';

interactionStoreContract('memory', async () => ({
  store: memoryStore(),
  close: async () => {},
}));
