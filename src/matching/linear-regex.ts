import { RE2JS } from 're2js';

/** Instructions of a compiled pattern. */
const MAX_PROGRAM = 2000;
/** Instructions times characters of one search: some 100 ms. */
const MAX_STEPS = 8_000_000;

/** A search that would have cost too much has no result. */
export type SearchResult = boolean | 'too much';

/** A regular expression whose time is bounded: linear in the text, whatever the pattern. RE2 syntax: no look-around, no back references. */
export class LinearRegex {
  private constructor(private readonly compiled: RE2JS) {}

  /** @throws Error with a message that says what is wrong with the pattern */
  static compile(pattern: string, flags: { dotAll?: boolean; ignoreCase?: boolean } = {}) {
    const bits =
      (flags.dotAll ? RE2JS.DOTALL : 0) | (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const compiled = parse(pattern, bits);
    if (compiled.programSize() > MAX_PROGRAM) throw new Error('the pattern is too large');
    return new LinearRegex(compiled);
  }

  /** Anywhere in the text. */
  finds(text: string): SearchResult {
    return this.bounded(text, () => this.compiled.test(text));
  }

  /** From the text's start on. */
  begins(text: string): SearchResult {
    return this.bounded(text, () => this.compiled.matcher(text).lookingAt());
  }

  /** The whole text. */
  covers(text: string): SearchResult {
    return this.bounded(text, () => this.compiled.matcher(text).matches());
  }

  /** Where the first match begins; -1: nowhere. */
  indexIn(text: string): number | 'too much' {
    return this.bounded(text, () => {
      const matcher = this.compiled.matcher(text);
      return matcher.find() ? matcher.start() : -1;
    });
  }

  private bounded<T>(text: string, search: () => T): T | 'too much' {
    return this.compiled.programSize() * text.length > MAX_STEPS ? 'too much' : search();
  }
}

function parse(pattern: string, bits: number): RE2JS {
  try {
    return RE2JS.compile(pattern, bits);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(message.replace(/^error parsing regexp: /, ''), { cause });
  }
}
