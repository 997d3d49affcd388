import type { Json } from '../../log/json.js';

const MAX_DEPTH = 200;

/** What a line holds: nothing, an object of JSON, or something that it should not. */
export type ParsedLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'object'; readonly object: Json }
  | { readonly kind: 'fault'; readonly fault: string };

/** A byte order mark and `\r` are not part of the line's text; keys `__proto__` go. */
export function parseLine(bytes: Uint8Array): ParsedLine {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    if (text === '') return { kind: 'blank' };
    const object: unknown = JSON.parse(text);
    if (!isObject(object) || Array.isArray(object)) return fault('is no JSON object');
    return isClean(object, MAX_DEPTH)
      ? { kind: 'object', object: object as Json }
      : fault(`is nested deeper than ${MAX_DEPTH} levels`);
  } catch (error) {
    return fault(error instanceof SyntaxError ? 'is no JSON' : 'is no UTF-8');
  }
}

/** Cleans in place, `depth` levels deep; answers whether that was all. */
function isClean(holder: object, depth: number): boolean {
  if (depth === 0) return false;
  const members = holder as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (key === '__proto__') delete members[key];
    else if (isObject(value) && !isClean(value, depth - 1)) return false;
  }
  return true;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function fault(text: string): ParsedLine {
  return { kind: 'fault', fault: text };
}
