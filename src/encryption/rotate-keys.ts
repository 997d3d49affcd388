import type { DataKeyStore } from './data-key-store.js';
import type { MasterKeys } from './master-keys.js';

const SLICE = 200;

/**
 * Wraps every data key with the first master key, also while servers use them. Returns the number
 * of keys that it has wrapped.
 * @throws AppError `encryption_key_missing`, `encryption_key_wrong`
 */
export async function rotateKeys(store: DataKeyStore, masters: MasterKeys): Promise<number> {
  let rotated = 0;
  for (;;) {
    const others = await store.listOthers(masters.current, SLICE);
    if (others.length === 0) return rotated;
    for (const owned of others) if (await store.replace(owned, masters.rewrap(owned))) rotated += 1;
  }
}
