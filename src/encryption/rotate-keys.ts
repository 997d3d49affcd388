import { AppError } from '../kernel/app-error.js';
import type { DataKeyStore, KeyOwner, OwnedKey, WrappedKey } from './data-key-store.js';
import type { MasterKeys } from './master-keys.js';

const SLICE = 200;

export interface RotatedKeys {
  /** The number of keys that were wrapped. */
  readonly rotated: number;
  /** Owners of keys that can't be unwrapped: these keys stay as they are. */
  readonly lost: readonly KeyOwner[];
}

/**
 * Wraps every data key with the first master key, also while servers use them.
 * @throws AppError `encryption_key_missing`
 */
export async function rotateKeys(store: DataKeyStore, masters: MasterKeys): Promise<RotatedKeys> {
  const lost = new Map<string, KeyOwner>();
  for (let rotated = 0; ;) {
    const others = await store.listOthers(masters.current, SLICE + 2 * lost.size);
    const left = others.filter((owned) => !lost.has(owned.wrapped));
    if (left.length === 0) return { rotated, lost: [...lost.values()] };
    for (const owned of left) {
      const { wrapped, chat_uid, tenant_id } = owned;
      const after = rewrap(masters, owned);
      if (!after) lost.set(wrapped, { chat_uid, tenant_id });
      else if (await store.replace(owned, after)) rotated += 1;
    }
  }
}

/** Undefined: the key was changed in the store. */
function rewrap(masters: MasterKeys, owned: OwnedKey): WrappedKey | undefined {
  try {
    return masters.rewrap(owned);
  } catch (error) {
    if (error instanceof AppError && error.code === 'encryption_key_wrong') return undefined;
    throw error;
  }
}
