import { parseBounded } from '../../kernel/json/bounded-json.js';
import { exactJson } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';

/** Members in which servers say what is wrong, in the order in which they count. */
const MEMBERS = [
  'error',
  'message',
  'detail',
  'msg',
  'error_message',
  'error_description',
  'errors',
];
const MAX_DEPTH = 6;

/**
 * The text in the body of an error, which may be the text itself, an object that nests it, or
 * a list with one of these. JSON if no text is found; undefined if there is nothing.
 */
export function saidIn(body: unknown): string | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  return textIn(body, 0) ?? exactJson(body);
}

/** True for an event that says what is wrong. */
export function hasReason(event: unknown): boolean {
  return isObject(event) && MEMBERS.some((member) => Boolean(event[member]));
}

function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return nestedIn(value, depth);
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.length === 1 ? textOfItem(value[0], depth) : undefined;
  if (!isObject(value)) return undefined;
  for (const member of MEMBERS) {
    const text = textIn(value[member], depth + 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A single fault that names its place says more as it is. */
function textOfItem(item: unknown, depth: number): string | undefined {
  const isPlaced = isObject(item) && ('loc' in item || 'instancePath' in item);
  return isPlaced ? undefined : textIn(item, depth + 1);
}

/** Gateways quote the answer of the vendor behind them as JSON in a text. */
function nestedIn(text: string, depth: number): string | undefined {
  if (text.trim() === '') return undefined;
  if (!/^\s*[[{]/.test(text) || depth > MAX_DEPTH) return text;
  try {
    return textIn(parseBounded(text), depth + 1) ?? text;
  } catch {
    return text;
  }
}
