import { DataKeys } from '../../../encryption/data-keys.js';
import type { MasterKeys } from '../../../encryption/master-keys.js';
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
