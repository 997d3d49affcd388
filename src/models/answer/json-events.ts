import { findExcess, MESSAGE_LIMITS } from '../../kernel/json/bounded-json.js';
import { parseExact } from '../../kernel/json/exact-json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];

/**
 * The events in a text: one, or several behind each other or in a list, as servers write them that
 * leave out the empty line between them. Numbers are exact. Texts that are no JSON are in `broken`.
 */
export interface JsonEvents {
  readonly values: readonly unknown[];
  readonly broken: readonly string[];
}

export function jsonEvents(text: string): JsonEvents {
  const whole = parse(text);
  if (Array.isArray(whole)) return { values: whole, broken: [] };
  if (whole !== undefined) return { values: [whole], broken: [] };
  const parts = topLevelValues(text).map((part) => ({ part, value: parse(part) }));
  if (parts.length < 2) return { values: [], broken: [text] };
  return {
    values: parts.flatMap(({ value }) => (value === undefined ? [] : [value])),
    broken: parts.flatMap(({ part, value }) => (value === undefined ? [part] : [])),
  };
}

function parse(text: string): unknown {
  try {
    return findExcess(text, MESSAGE_LIMITS) === undefined ? parseExact(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The parts of a text that are objects or lists by their brackets, and what is between them. */
function topLevelValues(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  const take = (end: number): void => {
    const part = text.slice(start, end).trim();
    if (part !== '') parts.push(part);
    start = end;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && depth > 0) at = endOfText(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (depth++ === 0) take(at);
    } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && depth > 0 && --depth === 0)
      take(at + 1);
  }
  take(text.length);
  return parts;
}

function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
