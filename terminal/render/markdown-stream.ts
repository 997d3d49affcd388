import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';
import { drawBlock } from './blocks.js';
import { span, textOf, wrap } from './span.js';
import type { Line } from './span.js';
import type { View } from './theme.js';

/** A paragraph or list that grows beyond this is continued as a new one: work stays bounded. */
const MOST_PENDING = 4_000;
/** A table is drawn when it has ended, or when it is as long as this. */
const MOST_TABLE = 64_000;
/** A table with a longer row is no table: the parser takes its time for the square of a row. */
const MOST_ROW = 2_000;
/** Markup that is nested deeper has no room on a screen. */
const MOST_DEPTH = 40;
const LETTER = /[\p{Letter}\p{Number}]/gu;

/**
 * Markdown that is still being written. Lines are given out once they are final, so that they can
 * stay where they are; the rest is the tail. Only the last block is parsed again as it grows.
 *
 * A later `**` may change how lines are drawn that were given out. Then the rest begins after as
 * many letters and digits, which markup neither adds nor removes: none is lost or doubled.
 */
export class MarkdownStream {
  /** The source from the beginning of the last block. */
  private pending = '';
  /** The part of the last block that was given out. */
  private given: string[] = [];
  /** Number of the first item of a list whose earlier items were given out. */
  private itemNumber: number | undefined;
  private hasLines = false;
  private needsGap = false;
  private tailLines: Line[] = [];
  private isStale = false;

  write(text: string): void {
    this.pending += text;
    this.isStale ||= text !== '';
  }

  /** Lines that have become final since the last call. */
  take(view: View): Line[] {
    const lines: Line[] = [];
    while (this.isStale) {
      this.isStale = false;
      lines.push(...this.advance(view));
    }
    return lines;
  }

  /** The unfinished end, as it stands. */
  get tail(): readonly Line[] {
    return this.tailLines;
  }

  /** All that is left. */
  end(view: View): Line[] {
    const lines: Line[] = [];
    while (this.pending.length > MOST_PENDING) {
      this.isStale = true;
      lines.push(...this.take(view));
      if (!this.isStale && startsTable(this.pending)) break;
    }
    for (const token of this.parse(this.pending)) lines.push(...this.finish(token, view));
    [this.pending, this.given, this.tailLines, this.isStale] = ['', [], [], false];
    return lines;
  }

  private advance(view: View): Line[] {
    const window = this.pending.slice(0, startsTable(this.pending) ? MOST_TABLE : MOST_PENDING);
    const isWhole = window.length === this.pending.length;
    const tokens = this.parse(isWhole ? closed(window) : window);
    const lines: Line[] = [];
    // A block may go on after white space.
    while (tokens.at(-1)?.type === 'space') tokens.pop();
    const last = tokens.pop();
    for (const token of tokens) {
      lines.push(...this.finish(token, view));
      this.pending = this.pending.slice(token.raw.length);
    }
    if (!last) return lines;
    if (last.type === 'list') lines.push(...this.finishItems(last as Tokens.List, view));
    const drawn = drawBlock(last.type === 'list' ? lastItem(last as Tokens.List) : last, view);
    lines.push(...this.giveStable(last, drawn, isWhole));
    if (!isWhole) lines.push(...this.cut(last, view));
    return lines;
  }

  private parse(source: string): Token[] {
    const tokens = lex(source);
    const [first] = tokens;
    if (this.itemNumber !== undefined && first?.type === 'list' && first.ordered)
      (first as Tokens.List).start = this.itemNumber;
    return tokens;
  }

  /** A block that has ended: what is left of it. */
  private finish(token: Token, view: View): Line[] {
    const lines = this.give(drawBlock(token, view));
    if (token.type !== 'space' || this.given.length > 0) this.needsGap = this.hasLines;
    [this.given, this.itemNumber] = [[], undefined];
    return lines;
  }

  /** All items but the last are final. */
  private finishItems(list: Tokens.List, view: View): Line[] {
    const lines: Line[] = [];
    for (const item of list.items.slice(0, -1)) {
      lines.push(...this.give(drawBlock({ ...list, items: [item] }, view)));
      this.given = [];
      this.pending = this.pending.slice(item.raw.length);
      if (list.ordered) this.itemNumber = list.start = Number(list.start) + 1;
    }
    return lines;
  }

  /** Lines of the last block that further text won't change: all but the last ones. */
  private giveStable(token: Token, drawn: readonly Line[], isWhole: boolean): Line[] {
    const isHeld = isWhole && (/^(?:table|heading)$/.test(token.type) || mayBeTable(token));
    const isCode = token.type === 'code' && token.raw.endsWith('\n');
    const stable = isHeld ? 0 : isCode ? drawn.length : drawn.length - 1;
    const lines = this.give(drawn.slice(0, stable));
    if (this.needsGap && drawn.length > 0) {
      this.needsGap = false;
      lines.push([]);
    }
    this.tailLines = isHeld ? drawn.slice(-1) : drawn.slice(stable);
    return lines;
  }

  private give(drawn: readonly Line[]): Line[] {
    const left = after(drawn, this.given);
    if (left.length === 0) return [];
    this.given = drawn.map(textOf);
    const gap = this.needsGap;
    [this.needsGap, this.hasLines] = [false, true];
    return gap ? [[], ...left] : left;
  }

  /** Goes on with what was not given out, as a block of the same kind. */
  private cut(token: Token, view: View): Line[] {
    const letters = countLetters(this.given.join(''));
    const at = letters === 0 ? 0 : offsetOfLetter(token.raw, letters);
    this.given = [];
    this.isStale = true;
    if (at === 0) {
      const text = this.pending.slice(0, token.raw.length);
      this.pending = this.pending.slice(text.length);
      return wrap([span(text)], view.width);
    }
    const opening = token.type === 'code' ? openingOf(token.raw) : '';
    const start = opening === '' ? at : this.pending.indexOf('\n', at) + 1 || at;
    this.pending = opening + this.pending.slice(start).replace(/^ +/, '');
    return [];
  }
}

/** The lines after those that were given out before, which may have been drawn otherwise. */
function after(drawn: readonly Line[], given: readonly string[]): Line[] {
  if (given.every((text, index) => drawn[index] && textOf(drawn[index]) === text))
    return drawn.slice(given.length);
  let left = countLetters(given.join(''));
  let from = 0;
  for (; from < drawn.length; from++) {
    const count = countLetters(textOf(drawn[from]!));
    if (count > left) break;
    left -= count;
  }
  if (from >= drawn.length) return [];
  return [trimStart(dropLetters(drawn[from]!, left)), ...drawn.slice(from + 1)];
}

function trimStart([first, ...rest]: Line): Line {
  return first ? [span(first.text.trimStart(), first.sgr), ...rest] : [];
}

function dropLetters(line: Line, letters: number): Line {
  let left = letters;
  return line.flatMap((it) => {
    if (left === 0) return [it];
    const at = offsetOfLetter(it.text, left);
    left -= Math.min(countLetters(it.text), left);
    return at >= it.text.length ? [] : [span(it.text.slice(at), it.sgr)];
  });
}

function countLetters(text: string): number {
  return text.match(LETTER)?.length ?? 0;
}

/** The place after so many letters. */
function offsetOfLetter(text: string, letters: number): number {
  if (letters === 0) return 0;
  let left = letters;
  for (const { index, 0: letter } of text.matchAll(LETTER))
    if (--left === 0) return index + letter.length;
  return text.length;
}

/** Markup that is nested too deeply is drawn as it is; the parser itself may refuse it. */
function lex(source: string): Token[] {
  try {
    const tokens: Token[] = new Lexer({ gfm: true }).lex(source);
    if (tokens.every((token) => isShallow(token))) return tokens;
  } catch {}
  return source === '' ? [] : [{ type: 'plain', raw: source }];
}

function isShallow(token: Token, depth = 0): boolean {
  if (depth > MOST_DEPTH) return false;
  return innerOf(token).every((inner) => isShallow(inner, depth + 1));
}

function innerOf(token: Token): readonly Token[] {
  if (token.type === 'list') return (token as Tokens.List).items;
  if (token.type !== 'table') return (token as Tokens.Generic).tokens ?? [];
  const { header, rows } = token as Tokens.Table;
  return [...header, ...rows.flat()].flatMap(({ tokens }) => tokens);
}

/** With the inline markup closed that is open at its end, as far as that is easy to see. */
function closed(source: string): string {
  const paragraph = source.slice(source.lastIndexOf('\n\n') + 1);
  if (/^(?:```|~~~)/m.test(source.replaceAll(/^ {1,3}/gm, ''))) return source;
  if (/\]\([^\s()]{1,500}$/.test(paragraph)) return `${source})`;
  if (((paragraph.match(/`/g)?.length ?? 0) & 1) === 1) return `${source}\``;
  const hasOpenStrong = ((paragraph.match(/\*\*/g)?.length ?? 0) & 1) === 1;
  return hasOpenStrong && /[^\s*]$/.test(source) ? `${source}**` : source;
}

function startsTable(source: string): boolean {
  const rows = source.slice(0, MOST_TABLE).split('\n');
  const [header = '', rule = ''] = rows;
  if (!header.includes('|') || !rule.includes('-') || !/^[ :|-]+$/.test(rule)) return false;
  return rows.every((row) => row.length <= MOST_ROW);
}

/** Its first line may be the header of a table. */
function mayBeTable({ type, raw }: Token): boolean {
  if (type !== 'paragraph') return false;
  const [header = '', rule = '', ...rest] = raw.split('\n');
  return header.includes('|') && /^[ :|-]*$/.test(rule) && rest.every((line) => line === '');
}

function openingOf(raw: string): string {
  const end = raw.indexOf('\n');
  return /^ *(?:```|~~~)/.test(raw) && end > 0 ? raw.slice(0, end + 1) : '';
}

function lastItem(list: Tokens.List): Tokens.List {
  return { ...list, items: list.items.slice(-1) };
}
