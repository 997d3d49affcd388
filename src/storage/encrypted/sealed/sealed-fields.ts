import { decryptionFailed } from '../../../encryption/data-key.js';
import { dataKeyOf, isDamagedSeal, isSealed } from '../../../encryption/sealed-text.js';
import type { DataKey, Place } from '../../../encryption/data-key.js';

/** The keys that open what was read, by id. */
export type Keys = ReadonlyMap<string, DataKey>;

/**
 * The saved form of a sealed JSON value: an object with this field, and those that stores search
 * for, which are not read from here. The value is a sealed text, which no client can write.
 */
export interface SealedJson {
  readonly enc: string;
}

const DAMAGED_ENC = /^(.nc|e.c|en.)$/;

export function isSealedJson(value: unknown): value is SealedJson {
  return typeof value === 'object' && value !== null && isSealed((value as SealedJson).enc);
}

/** Another character, as after a flipped bit: in what a sealed text begins with, or in `enc`. */
export function isDamaged(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isDamagedSeal(value);
  const { enc } = value as Partial<SealedJson>;
  if (enc !== undefined) return isDamagedSeal(enc);
  return Object.entries(value).some(([name, field]) => DAMAGED_ENC.test(name) && isSealed(field));
}

/** A JSON value as it is saved: of the type that stores declare, without its content. */
export function sealJson<T extends object>(
  key: DataKey,
  value: T,
  place: Place,
  plain: object = {},
): T {
  return { ...plain, enc: key.seal(JSON.stringify(value), place) } as unknown as T;
}

/** @throws AppError `decryption_failed` */
export function openJson<T>(keys: Keys, value: T, place: Place): T {
  if (isSealedJson(value)) return JSON.parse(open(keys, value.enc, place)) as T;
  if (isDamaged(value)) throw decryptionFailed(place);
  return value;
}

/** @throws AppError `decryption_failed` */
export function openText<T extends string | null>(keys: Keys, value: T, place: Place): T {
  if (isSealed(value)) return open(keys, value, place) as T;
  if (isDamaged(value)) throw decryptionFailed(place);
  return value;
}

/** Limits are about plain text; stores count sealed text, which is base64. */
export function sealedBytes(plain: number): number {
  return Math.ceil((plain * 4) / 3);
}

export function plainBytes(sealed: number): number {
  return Math.ceil((sealed * 3) / 4);
}

/** The id of the key of a sealed text or JSON value. */
export function keyIdOf(value: unknown): string | undefined {
  if (isSealed(value)) return dataKeyOf(value);
  return isSealedJson(value) ? dataKeyOf(value.enc) : undefined;
}

/** An empty object says nothing, and stays plain. */
export function sealOptional<T extends object>(key: DataKey, value: T, place: Place): T {
  return Object.keys(value).length === 0 ? value : sealJson(key, value, place);
}

/** Throws if the key is not among `keys`: these have to be loaded for all that was read. */
function open(keys: Keys, sealed: string, place: Place): string {
  const key = keys.get(dataKeyOf(sealed));
  if (!key) throw new TypeError(`The key of ${place.join('/')} was not loaded.`);
  return key.open(sealed, place);
}
