/** Characters that nobody sees, or that change how others are seen; not those that lines and columns are made with. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text for somebody who decides about it: what it hides is shown by its code, as `\u{202e}`. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
