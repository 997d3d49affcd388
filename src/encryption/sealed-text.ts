/**
 * Begins every sealed text: a control character and the version of the format. No text from outside
 * may begin with it, whether or not encryption is on (`isSealed`), so that sealed and plain text
 * are never confused.
 */
export const SEAL = '\u0001enc1:';

/** Follows `SEAL`: the id of the key of a chat or tenant, and at least an IV and a tag. */
const SEALED = /^([0-9a-f-]{36}|tenant:[^:]+):[A-Za-z0-9+/]{38,}={0,2}$/;

/** Made by `DataKey.seal`: the property is for the compiler only. */
export type SealedText = string & { readonly sealed: true };

export function isSealed(value: unknown): value is SealedText {
  return typeof value === 'string' && value.startsWith(SEAL);
}

/** True for a sealed text with another character in its `SEAL`, as it is after a flipped bit. */
export function isDamagedSeal(value: unknown): boolean {
  if (typeof value !== 'string' || value.length <= SEAL.length) return false;
  const others = Array.from(SEAL).filter((character, at) => value[at] !== character);
  return others.length === 1 && SEALED.test(value.slice(SEAL.length));
}

/** The id of the data key: a sealed text is `SEAL`, the id, a colon, and the rest in base64. */
export function dataKeyOf(sealed: string): string {
  return sealed.slice(SEAL.length, sealed.lastIndexOf(':'));
}
