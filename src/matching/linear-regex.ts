import { RE2JS } from 're2js';
import type { Effort } from './effort.js';
import { messageOf } from '../kernel/app-error.js';

/** Maximum number of instructions of a compiled pattern. */
const MAX_PROGRAM = 2000;
/** Maximum cost of one search, as instructions times characters: at most about 100 ms. */
const MAX_STEPS = 5_000_000;

/** Cost of a search in an empty text. */
const OVERHEAD = 60;

/** The result of a search; `too much` if the search would exceed the maximum cost. */
export type SearchResult = boolean | 'too much';

/**
 * A regular expression with bounded matching time: linear in the text, for every pattern. RE2
 * syntax: no look-around, no back references.
 */
export class LinearRegex {
  private constructor(private readonly compiled: RE2JS) {}

  /** @throws Error if the pattern is invalid; the message describes the fault */
  static compile(pattern: string, flags: { dotAll?: boolean; ignoreCase?: boolean } = {}) {
    const bits =
      (flags.dotAll ? RE2JS.DOTALL : 0) | (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const compiled = parse(pattern, bits);
    if (compiled.programSize() > MAX_PROGRAM) throw new Error('the pattern is too large');
    return new LinearRegex(compiled);
  }

  /** Searches anywhere in the text. */
  finds(text: string, effort?: Effort): SearchResult {
    return this.bounded(text, () => this.compiled.test(text), effort);
  }

  /** Matches at the start of the text. */
  begins(text: string, effort?: Effort): SearchResult {
    return this.bounded(text, () => this.compiled.matcher(text).lookingAt(), effort);
  }

  /** Matches the whole text. */
  covers(text: string, effort?: Effort): SearchResult {
    return this.bounded(text, () => this.compiled.testExact(text), effort);
  }

  /** Index of the first match; -1 if there is none. */
  indexIn(text: string): number | 'too much' {
    return this.bounded(text, () => {
      const matcher = this.compiled.matcher(text);
      return matcher.find() ? matcher.start() : -1;
    });
  }

  /** Start and end of each match that isn't empty, from `from` on; the cost is not bounded here. */
  spansIn(text: string, from = 0): [start: number, end: number][] {
    const spans: [number, number][] = [];
    const matcher = this.compiled.matcher(text);
    for (let found = matcher.find(from); found; found = matcher.find())
      if (matcher.end() > matcher.start()) spans.push([matcher.start(), matcher.end()]);
    return spans;
  }

  /** True if it matches the empty string somewhere in one of these texts. */
  matchesEmptyIn(...texts: readonly string[]): boolean {
    return texts.some((text) => {
      const matcher = this.compiled.matcher(text);
      while (matcher.find()) if (matcher.end() === matcher.start()) return true;
      return false;
    });
  }

  /** Number of instructions: the time of a search is in proportion to it. */
  get size(): number {
    return this.compiled.programSize();
  }

  /** Without an effort, only the cost of this search is bounded. */
  private bounded<T>(text: string, search: () => T, effort?: Effort): T | 'too much' {
    const steps = this.compiled.programSize() * text.length;
    if (steps > MAX_STEPS) return 'too much';
    effort?.spend(steps + OVERHEAD);
    return search();
  }
}

function parse(pattern: string, bits: number): RE2JS {
  try {
    return RE2JS.compile(pattern, bits);
  } catch (cause) {
    const message = messageOf(cause);
    throw new Error(message.replace(/^error parsing regexp: /, ''), { cause });
  }
}
