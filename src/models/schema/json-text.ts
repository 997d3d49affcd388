/**
 * A string in JSON, with the colon behind it if it is the name of a field. One without an end goes
 * to the end of the text, so that the time is linear.
 */
const STRING = /"((?:[^"\\]|\\[^])*)(?:"(\s*:)?)?/g;

/**
 * Replaces names of fields in valid JSON. The rest of the text stays as it is: numbers keep digits
 * that JavaScript would lose.
 */
export function renameFields(json: string, names: ReadonlyMap<string, string>): string {
  return json.replace(STRING, (whole: string, text: string, colon: string | undefined) => {
    const name = colon === undefined ? undefined : names.get(stringOf(text));
    return name === undefined ? whole : `${JSON.stringify(name)}${colon}`;
  });
}

function stringOf(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Escapes in a JSON string: a pair of surrogates, half of a pair, any other. */
const ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^]/g;
const HALF = '\\uD800'.length;

/** JSON text without halves of characters, written out or escaped. */
export function wellFormedJson(json: string): string {
  const text = json.toWellFormed();
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return text.replace(ESCAPE, (escape) => (escape.length === HALF ? '\\ufffd' : escape));
}
