import { RE2JS } from 're2js';
import type { Effort } from './effort.js';
import { messageOf } from '../kernel/app-error.js';
import type { Sliced } from '../kernel/async/sliced.js';

/** Maximum number of instructions of a compiled pattern. */
const MAX_PROGRAM = 2000;
/** Maximum cost of one search, as instructions times characters: at most about 100 ms. */
const MAX_STEPS = 5_000_000;

/** Matches that are found without a break. */
const SLICE = 1_000;
/** Characters that are searched without a break. */
const PART = 256 * 1024;
/** So many characters at the end of a part are searched with the next part again. */
const LOOK_AHEAD = 64 * 1024;
/** Characters before a part that a pattern may look at, such as by `\b`: one, which may be two. */
const CONTEXT = 2;

interface PartSearch {
  /** Where the search goes on. */
  readonly next: number;
  /** A match begins there that reaches the end of the part: it may be longer. */
  readonly isOpen: boolean;
}

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

  /**
   * Start and end of each match that isn't empty, from `from` on. The cost is not bounded here, but
   * the text is searched in parts. A match is certain to be found if `LOOK_AHEAD` characters decide
   * that it is one.
   */
  *spansIn(text: string, from = 0): Sliced<[start: number, end: number][]> {
    const spans: [number, number][] = [];
    let [at, part] = [from, PART];
    for (let isLast = false; !isLast;) {
      const end = Math.min(text.length, at + part);
      isLast = end === text.length;
      const sure = isLast ? Infinity : startOfCharacter(text, end - LOOK_AHEAD);
      const search = yield* this.spansOfPart(text, { at, end, sure }, spans);
      part = search.isOpen ? 2 * (end - search.next) : PART;
      at = search.next;
      yield;
    }
    return spans;
  }

  /** Adds the matches from `at` to `end` that begin before `sure`. */
  private *spansOfPart(
    text: string,
    { at, end, sure }: { at: number; end: number; sure: number },
    spans: [number, number][],
  ): Sliced<PartSearch> {
    const start = Math.max(0, at - CONTEXT);
    const matcher = this.compiled.matcher(text.slice(start, end));
    let next = at;
    for (let found = matcher.find(at - start), count = 1; found; found = matcher.find(), count++) {
      const span: [number, number] = [start + matcher.start(), start + matcher.end()];
      if (span[0] >= sure) break;
      if (span[1] === end && sure < end) return { next: span[0], isOpen: true };
      if (span[1] > span[0]) spans.push(span);
      next = span[1];
      if (count % SLICE === 0) yield;
    }
    return { next: Math.max(next, Math.min(sure, end)), isOpen: false };
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

/** `at`, or the index before it if a surrogate pair begins there. */
function startOfCharacter(text: string, at: number): number {
  return text.codePointAt(at - 1)! > 0xffff ? at - 1 : at;
}

function parse(pattern: string, bits: number): RE2JS {
  try {
    return RE2JS.compile(pattern, bits);
  } catch (cause) {
    const message = messageOf(cause);
    throw new Error(message.replace(/^error parsing regexp: /, ''), { cause });
  }
}
