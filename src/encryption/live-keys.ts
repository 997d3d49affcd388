import type { DataKey, Place } from './data-key.js';
import type { MasterKeys } from './master-keys.js';
import { dataKeyOf } from './sealed-text.js';

/**
 * Seals what is in Redis while a run streams. Its keys are derived from master keys, so that frames
 * are sealed and opened without a look at the store.
 */
export class LiveKeys {
  constructor(private readonly masters: MasterKeys) {}

  seal(interactionId: string, text: string, place: Place): string {
    return this.masters.live(interactionId).seal(text, [interactionId, ...place]);
  }

  /** @throws AppError `decryption_failed`, `encryption_key_missing` */
  open(interactionId: string, sealed: string, place: Place): string {
    const key: DataKey = this.masters.live(interactionId, dataKeyOf(sealed));
    return key.open(sealed, [interactionId, ...place]);
  }
}
