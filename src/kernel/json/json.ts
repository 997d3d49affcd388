import { ExactNumber } from './exact-json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];

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
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [map(name), mapTexts(item, map)]),
  );
}

/** Sets a field, also one with a name such as `__proto__`. */
export function setKey(object: object, key: string, value: unknown): void {
  const property = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(object, key, property);
}

/** A JSON list; an empty one in place of any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The size of a JSON text. */
export interface JsonSize {
  readonly depth: number;
  /** About the number of its values. */
  readonly values: number;
  /** About the number of fields of the object that has most. */
  readonly fields: number;
}

/**
 * Measures JSON in UTF-8. Stops at the first bracket deeper than `levels`. Much faster than
 * parsing: that takes seconds for a few megabytes of brackets and blocks the event loop.
 */
export function measureJson(json: Uint8Array, levels: number): JsonSize {
  let [depth, deepest, values, fields] = [0, 0, 1, 0];
  let inText = false;
  const commas = [0];
  for (let at = 0; at < json.length && deepest <= levels; at++) {
    const byte = json[at]!;
    if (inText && byte === BACKSLASH) at++;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (byte === COMMA) {
      values++;
      commas[depth]!++;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      commas[++depth] = 0;
      deepest = Math.max(deepest, depth);
    } else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && depth > 0) {
      if (byte === CLOSE_OBJECT) fields = Math.max(fields, commas[depth]! + 1);
      depth--;
    }
  }
  return { depth: deepest, values, fields };
}

/** True for a JSON object: neither null nor a list, nor a number that is kept exact. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return false;
  return !Array.isArray(value);
}
