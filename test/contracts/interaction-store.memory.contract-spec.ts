import { memoryStore } from '../support/whole-store.js';
import { interactionStoreContract } from './interaction-store.contract.js';

interactionStoreContract('memory', async () => ({
  store: memoryStore(),
  close: async () => {},
}));
