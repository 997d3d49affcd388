import { DataKeys } from '../../../encryption/data-keys.js';
import type { MasterKeys } from '../../../encryption/master-keys.js';
import { EncryptedFileStore } from '../../../files/encrypted/encrypted-file-store.js';
import type { FileCatalog } from '../../../files/file-catalog.js';
import { idIn } from '../../../files/file-key.js';
import type { FileStore } from '../../../files/file-store.js';
import { ANY_TENANT } from '../../../persistence/any-tenant.js';
import type { SealRow } from '../../saved-texts.js';
import type { AllStores } from '../../stores.js';
import { SEAL_SAVED } from './seal-saved.js';

/**
 * Encrypts what was saved before encryption was turned on. It may be repeated after an
 * interruption. Returns the number of rows, or files, that it has changed.
 * @throws AppError `store_in_use`
 */
export function encryptSaved(
  { saved, dataKeys }: Pick<AllStores, 'saved' | 'dataKeys'>,
  masters: MasterKeys,
): Promise<number> {
  const keys = new DataKeys(masters, dataKeys);
  const seal: SealRow = async (kind, owner, row) => {
    const key = await ('chat_uid' in owner
      ? keys.ofChat(owner.chat_uid)
      : keys.ofTenant(owner.tenant_id));
    return key && SEAL_SAVED[kind](key, row);
  };
  return saved.sealAll(seal);
}

interface SavedBytes {
  readonly store: FileStore;
  readonly catalog: Pick<FileCatalog, 'find'>;
  readonly keys: DataKeys;
}

/**
 * Encrypts the bytes that were stored before encryption was turned on, file by file, and removes
 * what interrupted uploads left. It may be repeated after an interruption: a file is there in
 * plain, encrypted, or whole in both ways. Nothing else may use the store. Returns the number of
 * files.
 */
export async function encryptBytes({ store, catalog, keys }: SavedBytes): Promise<number> {
  const encrypted = new EncryptedFileStore(store, keys);
  await store.removeUnfinished(new Date());
  let count = 0;
  for await (const { key } of store.list()) {
    const id = idIn(key); // encrypted bytes have another form of key
    if (id === undefined) continue;
    if (!(await encrypted.hasEncrypted(key))) {
      // Bytes without a file, which the sweep will remove, are their tenant's.
      const chatUid = (await catalog.find(id, ANY_TENANT))?.chat_uid ?? undefined;
      await encrypted.put(key, await store.get(key), chatUid);
    }
    await store.delete(key);
    count += 1;
  }
  return count;
}
