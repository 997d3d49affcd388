import { atOnce } from '../../kernel/async/sliced.js';
import type { Sliced } from '../../kernel/async/sliced.js';
import { describeRedacted } from '../../protocol/redacted.js';
import type { OutputFilter } from '../guardrail.js';
import type { RedactPattern } from './redact-patterns.js';

/**
 * Longest match that is certain to be found in a text that comes in pieces, in UTF-16 code units:
 * so much of the text is held back.
 */
export const MAX_MATCH = 256;
/** New text that is worth another search, in UTF-16 code units. */
const STEP = 32;
/** Bounds the text that is held back while a match goes on and on, in UTF-16 code units. */
const MAX_HELD = 16_384;

/** Overlapping matches; `last` is the start of the last one. */
interface Span {
  readonly start: number;
  readonly last: number;
  readonly end: number;
  readonly pattern: RedactPattern;
}

/**
 * Replaces the matches of patterns. The result does not depend on the pieces of the text, unless a
 * match is longer than `MAX_MATCH`. Overlapping matches are replaced together, by the replacement
 * of the first.
 */
export class PatternFilter implements OutputFilter {
  /** The undecided text, and the character before it. */
  private held = '';
  private before = '';
  /** Length of the undecided text that is worth a search. */
  private due = MAX_MATCH + STEP;

  /** @param counts of the matches by name: several filters may share them */
  constructor(
    private readonly patterns: readonly RedactPattern[],
    private readonly counts: Map<string, number> = new Map(),
  ) {}

  get remark(): string | undefined {
    if (this.counts.size === 0) return undefined;
    return `Text was redacted: ${describeRedacted(Object.fromEntries(this.counts))}.`;
  }

  push(text: string): string {
    return atOnce(this.pushSliced(text));
  }

  end(): string {
    return atOnce(this.endSliced());
  }

  *pushSliced(text: string): Sliced<string> {
    this.held += text;
    return this.held.length < this.due ? '' : yield* this.take(false);
  }

  endSliced(): Sliced<string> {
    return this.take(true);
  }

  private *take(isOver: boolean): Sliced<string> {
    const text = this.before + this.held;
    let at = this.before.length;
    let shown = '';
    let limit = isOver ? text.length : Math.max(at, text.length - MAX_MATCH);
    for (const span of yield* findSpans(this.patterns, text, at)) {
      if (span.start >= limit) break;
      if (!isOver && this.mayGrow(span, text, limit)) {
        limit = span.start;
        break;
      }
      shown += text.slice(at, span.start) + this.replace(span.pattern);
      at = span.end;
    }
    let cut = Math.max(at, limit);
    if (cut > at && cut < text.length && isHighSurrogate(text, cut - 1)) cut--;
    shown += text.slice(at, cut);
    this.before = text.slice(Math.max(0, cut - 2), cut);
    this.held = text.slice(cut);
    this.due = Math.max(this.held.length, MAX_MATCH) + STEP;
    return shown;
  }

  /** True if text to come may extend the match, or one that overlaps it. */
  private mayGrow({ last, end }: Span, text: string, limit: number): boolean {
    return this.held.length < MAX_HELD && (end === text.length || last >= limit);
  }

  private replace({ name, replacement }: RedactPattern): string {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return replacement;
  }
}

function* findSpans(
  patterns: readonly RedactPattern[],
  text: string,
  from: number,
): Sliced<Span[]> {
  const found: Span[] = [];
  for (const pattern of patterns) {
    for (const [start, end] of yield* pattern.regex.spansIn(text, from))
      found.push({ start, last: start, end, pattern });
    yield;
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of found) {
    const before = merged.at(-1);
    if (!before || span.start >= before.end) merged.push(span);
    else
      merged[merged.length - 1] = {
        ...before,
        last: span.start,
        end: Math.max(before.end, span.end),
      };
  }
  return merged;
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}
