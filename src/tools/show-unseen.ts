/**
 * Characters that are invisible, or that change the display of others; without tab and line feed.
 */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes the invisible characters of a text as `\u{202e}`, for the person who approves it. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
