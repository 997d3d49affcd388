import { isDeeperThan } from '../../kernel/is-deeper-than.js';
import type { Json } from '../../protocol/json.js';

const MAX_DEPTH = 200;

/** What a line holds: nothing, an object of JSON, or something that it should not. */
export type ParsedLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'object'; readonly object: Json }
  | { readonly kind: 'fault'; readonly fault: string };

/** A byte order mark and `\r` are not part of the line's text; keys `__proto__` go. */
export function parseLine(bytes: Uint8Array): ParsedLine {
  if (isDeeperThan(MAX_DEPTH, bytes)) return fault(`is nested deeper than ${MAX_DEPTH} levels`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    if (text === '') return { kind: 'blank' };
    const object: unknown = JSON.parse(text);
    if (!isObject(object) || Array.isArray(object)) return fault('is no JSON object');
    clean(object);
    return { kind: 'object', object: object as Json };
  } catch (error) {
    return fault(error instanceof SyntaxError ? 'is no JSON' : 'is no UTF-8');
  }
}

/** In place. */
function clean(holder: object): void {
  const members = holder as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (key === '__proto__') delete members[key];
    else if (isObject(value)) clean(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function fault(text: string): ParsedLine {
  return { kind: 'fault', fault: text };
}
