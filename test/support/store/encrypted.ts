import { randomBytes } from 'node:crypto';
import type { Environment } from '../../../src/config/load-config.js';
import { Secret } from '../../../src/config/secrets/secret.js';
import { DataKeys } from '../../../src/encryption/data-keys.js';
import { MasterKeys } from '../../../src/encryption/master-keys.js';
import { ChatKeys } from '../../../src/storage/encrypted/chat-keys.js';
import { encryptChats, encryptStores } from '../../../src/storage/encrypted/encrypt-stores.js';
import { openMemoryStores } from '../../../src/storage/memory/memory-stores.js';
import type { Stores } from '../../../src/persistence/stores.js';
import type { AllStores } from '../../../src/storage/stores.js';

/** With `TEST_ENCRYPTION=1`, all servers of the end-to-end suites encrypt what they save. */
export const TEST_ENCRYPTION: Environment =
  process.env['TEST_ENCRYPTION'] === '1'
    ? { ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` }
    : {};

const secret = new Secret(randomBytes(32).toString('base64'));

/** Keys of the tests' own, in stores or in memory. */
export function dataKeys({ dataKeys: saved }: Pick<AllStores, 'dataKeys'> = openMemoryStores()) {
  return new DataKeys(new MasterKeys([{ id: 'test', secret }]), saved);
}

/** The same stores, encrypted with a key of the tests' own. */
export function encrypted<S extends AllStores>(stores: S): S {
  return encryptStores(
    stores,
    new ChatKeys(dataKeys(stores), (stores.runs ?? stores).interactions),
  );
}

/** Chats in memory, encrypted likewise. */
export function encryptedMemory(): Stores {
  const stores = openMemoryStores();
  return encryptChats(stores, new ChatKeys(dataKeys(stores), stores.interactions));
}
