import type { OutputFilter } from '../guardrail.js';

/**
 * Redacts the JSON of a call's arguments, which escapes may hide a match in: all of it is held back
 * to its end, then its strings are redacted as they read, then the JSON as it is written.
 */
export class ArgumentsFilter implements OutputFilter {
  private held = '';

  constructor(
    private readonly redact: (text: string) => string,
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
    return redactJsonText(this.held, this.redact);
  }
}

const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"?/gs;

/**
 * Redacts each string of the text, also those that a parser drops (of a name that is there twice)
 * and the one at which the text is cut off. Returns the same text if nothing of it is redacted.
 */
export function redactJsonText(text: string, redact: (text: string) => string): string {
  return redact(text.replaceAll(STRING, (all, body: string) => redactString(all, body, redact)));
}

function redactString(all: string, body: string, redact: (text: string) => string): string {
  const value = parseString(body);
  if (value === undefined) return all;
  const redacted = redact(value);
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
export function redactStrings(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactStrings(item, redact));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  let isSame = true;
  const entries = Object.entries(value).map(([name, before]) => {
    const entry = [redact(name), redactStrings(before, redact)] as const;
    isSame &&= entry[0] === name && entry[1] === before;
    return entry;
  });
  return isSame ? value : Object.fromEntries(entries);
}
