/** Invisible characters that join others to one visible emoji. */
const IN_EMOJI =
  /(?<=\p{Extended_Pictographic})\ufe0f|\ufe0f(?=\u20e3)|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/u;

/**
 * Characters that are invisible, look like a space and are none, have no known look, or change the
 * display of others; without tab and line feed.
 */
// regex: it has no repetition
const UNSEEN = new RegExp(
  String.raw`(?!${IN_EMOJI.source}|[\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]`,
  'gu',
);

/** Escapes the invisible characters of a text as `\u{202e}`, for the person who approves it. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, escape);
}

/** The same for a sentence, in which a text must not begin a line. */
export function showOnOneLine(text: string): string {
  return showUnseen(text).replace(/[\t\n]/g, escape);
}

function escape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
