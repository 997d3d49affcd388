/**
 * Begins every sealed text: a control character and the version of the format. No text from outside
 * may begin with it, whether or not encryption is on (`isSealed`), so that sealed and plain text
 * are never confused.
 */
export const SEAL = '\u0001enc1:';

/** Made by `DataKey.seal`: the property is for the compiler only. */
export type SealedText = string & { readonly sealed: true };

export function isSealed(value: unknown): value is SealedText {
  return typeof value === 'string' && value.startsWith(SEAL);
}

/** The id of the data key: a sealed text is `SEAL`, the id, a colon, and the rest in base64. */
export function dataKeyOf(sealed: string): string {
  return sealed.slice(SEAL.length, sealed.lastIndexOf(':'));
}
