import { isObject, measureJson } from './json.js';

export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
  /** Maximum number of fields of one object. */
  readonly fields: number;
}

/** Limits of a document that is walked several times: call arguments, a structured answer. */
export const DOCUMENT_LIMITS: JsonLimits = { depth: 100, values: 20_000, fields: 1_000 };
/** Limits of a protocol's message, which is parsed and read once. */
export const MESSAGE_LIMITS: JsonLimits = { depth: 1_000, values: 100_000, fields: 10_000 };

/**
 * Like `JSON.parse`, for text from outside: more than the limits would block the event loop.
 * @throws SyntaxError also beyond the limits
 */
export function parseBounded(json: string, limits = DOCUMENT_LIMITS): unknown {
  const excess = findExcess(json, limits);
  if (excess !== undefined) throw new SyntaxError(excess);
  return JSON.parse(json);
}

/** Names the limit that a JSON text exceeds; undefined: none. */
export function findExcess(json: string, limits = DOCUMENT_LIMITS): string | undefined {
  if (json.length <= Math.min(limits.depth, limits.values, limits.fields)) return undefined;
  const { depth, values, fields } = measureJson(Buffer.from(json), limits.depth);
  if (depth > limits.depth) return `more than ${limits.depth} levels`;
  if (values > limits.values) return `more than ${limits.values} values`;
  if (fields > limits.fields) return `an object with more than ${limits.fields} fields`;
  return undefined;
}

/** True for the text of a JSON object within the limits of a document. */
export function isObjectText(text: string): boolean {
  try {
    return isObject(parseBounded(text));
  } catch {
    return false;
  }
}

/** The input of a call before its first delta, which gateways leave in front of the deltas. */
const EMPTY_START = /^\s*\{\s*\}\s*(?=\{)/;

/**
 * The JSON object that models and gateways mean by other texts: nothing, an object in a string, one
 * behind an empty one, the same one twice. All other text is returned unchanged.
 */
export function objectText(text: string): string {
  if (isNothing(text)) return '{}';
  const inner = /^\s*"/.test(text) ? stringIn(text) : undefined;
  if (inner !== undefined) return isNothing(inner) ? '{}' : isObjectText(inner) ? inner : text;
  const rest = text.replace(EMPTY_START, '');
  const middle = Math.floor(rest.length / 2);
  const half = rest.slice(0, middle).trim();
  const isTwice = half.startsWith('{') && half === rest.slice(middle).trim();
  return isTwice ? half : rest;
}

/** PHP writes an empty object as a list. */
function isNothing(text: string): boolean {
  return /^(?:null|\[\s*\])?$/.test(text.trim());
}

function stringIn(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
