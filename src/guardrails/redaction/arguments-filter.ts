import { atOnce } from '../../kernel/async/sliced.js';
import type { Sliced } from '../../kernel/async/sliced.js';
import type { OutputFilter } from '../guardrail.js';

/** Redacts a text. */
export type Redact = (text: string) => Sliced<string>;

/**
 * Redacts the JSON of a call's arguments, which escapes may hide a match in: all of it is held back
 * to its end, then its strings are redacted as they read, then the JSON as it is written.
 */
export class ArgumentsFilter implements OutputFilter {
  private held = '';

  constructor(
    private readonly redact: Redact,
    private readonly describe: () => string | undefined,
  ) {}

  get remark(): string | undefined {
    return this.describe();
  }

  push(text: string): string {
    this.held += text;
    return '';
  }

  end(): string {
    return atOnce(this.endSliced());
  }

  endSliced(): Sliced<string> {
    return redactJsonText(this.held, this.redact);
  }
}

const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"?/gs;

/**
 * Redacts each string of the text, also those that a parser drops (of a name that is there twice)
 * and the one at which the text is cut off. Returns the same text if nothing of it is redacted.
 */
export function* redactJsonText(text: string, redact: Redact): Sliced<string> {
  const parts: string[] = [];
  let copied = 0;
  for (const { 0: all, 1: body = '', index } of text.matchAll(STRING)) {
    parts.push(text.slice(copied, index), yield* redactString(all, body, redact));
    copied = index + all.length;
    yield;
  }
  return yield* redact([...parts, text.slice(copied)].join(''));
}

function* redactString(all: string, body: string, redact: Redact): Sliced<string> {
  const value = parseString(body);
  if (value === undefined) return all;
  const redacted = yield* redact(value);
  return redacted === value ? all : JSON.stringify(redacted);
}

/** Undefined for an invalid string. */
function parseString(body: string): string | undefined {
  try {
    return JSON.parse(`"${body}"`) as string;
  } catch {
    return undefined;
  }
}

/** Redacts all strings and names of fields, at any depth; returns `value` if none changes. */
export function* redactStrings(value: unknown, redact: Redact): Sliced<unknown> {
  if (typeof value === 'string') return yield* redact(value);
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = [];
  let isSame = true;
  for (const [name, before] of Object.entries(value)) {
    const shown = isList ? name : yield* redact(name);
    const after = yield* redactStrings(before, redact);
    isSame &&= shown === name && after === before;
    entries.push([shown, after]);
    yield;
  }
  if (isSame) return value;
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
