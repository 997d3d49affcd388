import { findExcess, MESSAGE_LIMITS } from '../../kernel/json/bounded-json.js';
import { exactJson, parseExact } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';

/** The member of an object that stands for JSON whose numbers a record can't hold. */
const TEXT = 'exact_json';

/**
 * JSON of a vendor as a record holds it: as it is, or as text if JavaScript would write a number of
 * it in other characters.
 */
export function toRecorded(value: unknown): unknown {
  const json = exactJson(value);
  return json === JSON.stringify(value) ? value : { [TEXT]: json };
}

/** The opposite of `toRecorded`. A log is untrusted input: undefined for a text that is no JSON. */
export function fromRecorded(value: unknown): unknown {
  if (!isObject(value) || typeof value[TEXT] !== 'string') return value;
  const json = value[TEXT];
  try {
    return findExcess(json, MESSAGE_LIMITS) === undefined ? parseExact(json) : undefined;
  } catch {
    return undefined;
  }
}
