/**
 * Characters that a person doesn't see or takes for others, and that a shell doesn't treat as what they look like: controls, invisible
 * and bidirectional ones, white space that doesn't separate words, and those that are for private use or for nothing.
 */
const DECEPTIVE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ORDINARY = /^[\t\n\x20-\x7e]*$/;

/** The first one, as `U+202E`. */
export function findDeceptiveCharacter(text: string): string | undefined {
  if (ORDINARY.test(text)) return undefined;
  for (const character of text)
    if (!ORDINARY.test(character) && DECEPTIVE.test(character)) return describe(character);
  return undefined;
}

function describe(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
