import { FileKeyStore } from '../../src/storage/file/file-key-store.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STORES } from '../e2e/stores.js';
import { keyStoreContract } from './key-store.contract.js';
import { ticketStoreContract } from './ticket-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const store of STORES) {
  const { name, fault } = store;
  if (fault) skipContract(`Keys and tickets on ${name}`, fault);
  else {
    keyStoreContract(`Keys on ${name}`, async () => {
      const opened = await store.open();
      return {
        get keys() {
          return opened.stores.keys;
        },
        reopen: () => opened.reopen(),
        close: () => opened.close(),
      };
    });
    ticketStoreContract(`Tickets on ${name}`, async () => {
      const opened = await store.open();
      return { tickets: opened.stores.tickets, close: () => opened.close() };
    });
  }
}

describe(FileKeyStore.name, () => {
  it.each(['', '{"keys": [', '{"keys": 1}', 'null'])(
    'does not go on without keys: %j',
    async (text) => {
      const data_dir = await mkdtemp(join(tmpdir(), 'parley-keys-'));
      try {
        await writeFile(join(data_dir, 'api-keys.json'), text);
        await expect(FileKeyStore.open(data_dir)).rejects.toMatchObject({ code: 'keys_damaged' });
      } finally {
        await rm(data_dir, { recursive: true });
      }
    },
  );
});
