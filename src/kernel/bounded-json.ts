import { isObject, measureJson } from './json.js';

export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
  /** Of one object. */
  readonly fields: number;
}

/** Of a document that is walked several times: arguments of a call, a structured answer. */
export const DOCUMENT_LIMITS: JsonLimits = { depth: 100, values: 20_000, fields: 1_000 };
/** Of a message of a protocol, which is parsed and read once. */
export const MESSAGE_LIMITS: JsonLimits = { depth: 1_000, values: 1_000_000, fields: 10_000 };

/**
 * As `JSON.parse`, for text from outside: more than the limits would block the event loop.
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
