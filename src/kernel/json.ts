const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set(Buffer.from('[{'));

const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'));

/** JSON with sorted keys, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isObject(item) ? sorted(item) : item));
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A copy of a JSON value with each text in it, and each name of a field, replaced. */
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [map(name), mapTexts(item, map)]),
  );
}

/**
 * The levels of this JSON, in UTF-8, and about the number of its values. Stops at the first bracket
 * deeper than `levels`. Much faster than parsing: that takes seconds for a few megabytes of
 * brackets and blocks the event loop.
 */
export function measureJson(
  json: Uint8Array,
  levels: number,
): { readonly depth: number; readonly values: number } {
  let [depth, deepest, values] = [0, 0, 1];
  let inText = false;
  for (let at = 0; at < json.length && deepest <= levels; at++) {
    const byte = json[at]!;
    if (inText && byte === BACKSLASH) at++;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (byte === COMMA) values++;
    else if (OPENING.has(byte)) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (CLOSING.has(byte)) depth--;
  }
  return { depth: deepest, values };
}

/** True for a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for the text of a JSON object. */
export function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
