import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { FILES, STORES } from '../e2e/stores.js';
import type { StoreKind } from '../e2e/stores.js';
import { encrypted } from '../support/store/encrypted.js';
import { wholeStore } from '../support/store/whole-store.js';
import { webhookOutboxContract } from './webhook-outbox.contract.js';
import { skipContract } from '../support/skip-contract.js';

webhookOutboxContract('memory', async () => {
  const stores = openMemoryStores();
  return { store: wholeStore(stores), outbox: stores.webhooks, close: async () => {} };
});

for (const kind of STORES) {
  const { name, fault } = kind;
  if (fault) skipContract(name, fault);
  else webhookOutboxContract(name, () => openOutbox(kind, (stores) => stores));
}
webhookOutboxContract('encrypted files', () => openOutbox(FILES, encrypted));

type Wrap = typeof encrypted;

async function openOutbox(kind: StoreKind, wrap: Wrap) {
  const opened = await kind.open();
  let stores = wrap(opened.stores);
  return {
    get store() {
      return wholeStore(stores);
    },
    get outbox() {
      return stores.webhooks;
    },
    async reopen() {
      await opened.reopen();
      stores = wrap(opened.stores);
    },
    close: () => opened.close(),
  };
}
