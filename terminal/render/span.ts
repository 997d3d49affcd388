import { isSafe, sanitize } from './sanitize.js';
import { clustersOf, widthOf, widthOfCluster } from './width.js';

/** A text in one style: `sgr` has the parameters of its escape sequence, such as `1;31`. */
export interface Span {
  readonly text: string;
  readonly sgr: string;
}

export type Line = readonly Span[];

/** Whatever the text is from: a line has no control characters but those that `paint` adds. */
export function span(text: string, sgr = ''): Span {
  return { text: isSafe(text) ? text : sanitize(text), sgr };
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** With a style added to what each span has. */
export function styled(line: Line, sgr: string): Line {
  return line.map((it) => span(it.text, it.sgr === '' ? sgr : `${sgr};${it.sgr}`));
}

/** Text with the control sequences that the terminal takes. */
export function paint(line: Line, hasColor: boolean): string {
  if (!hasColor) return textOf(line);
  return line
    .map(({ text, sgr }) => (sgr === '' || text === '' ? text : `\u001B[${sgr}m${text}\u001B[0m`))
    .join('');
}

export interface Indent {
  readonly first: Line;
  readonly rest: Line;
}

const NO_INDENT: Indent = { first: [], rest: [] };

/**
 * Breaks spans at spaces, and words that are longer than a line anywhere. A line end in a span
 * starts a line.
 */
export function wrap(spans: Line, width: number, indent: Indent = NO_INDENT): Line[] {
  const room = Math.max(width - lineWidth(indent.rest), 1);
  const lines: Span[][] = [];
  let line: Span[] = [];
  let used = 0;
  let pending: Span[] = [];
  const finish = (): void => {
    lines.push(line);
    [line, used, pending] = [[], 0, []];
  };
  for (const word of wordsOf(spans)) {
    if (word.kind === 'end') finish();
    else if (word.kind === 'space') pending.push(...word.spans);
    else {
      const gap = lineWidth(pending);
      if (used > 0 && used + gap + word.width > room) finish();
      for (const it of pending) {
        line.push(it);
        used += widthOf(it.text);
      }
      pending = [];
      for (const piece of fit(word.spans, room - used, room)) {
        if (piece === 'end') finish();
        else {
          line.push(piece);
          used += widthOf(piece.text);
        }
      }
    }
  }
  lines.push(line);
  return lines.map((it, index) => [...(index === 0 ? indent.first : indent.rest), ...join(it)]);
}

interface Word {
  readonly kind: 'word' | 'space' | 'end';
  readonly spans: Span[];
  readonly width: number;
}

function wordsOf(spans: Line): Word[] {
  const words: Word[] = [];
  let word: Span[] = [];
  const close = (): void => {
    if (word.length > 0) words.push({ kind: 'word', spans: word, width: lineWidth(word) });
    word = [];
  };
  for (const { text, sgr } of spans)
    for (const part of text.split(/( +|\n)/)) {
      if (part === '') continue;
      const isBreak = part === '\n' || part[0] === ' ';
      if (!isBreak) word.push(span(part, sgr));
      else {
        close();
        if (part === '\n') words.push({ kind: 'end', spans: [], width: 0 });
        else words.push({ kind: 'space', spans: [span(part, sgr)], width: part.length });
      }
    }
  close();
  return words;
}

/** A word in the pieces that fit: the room that is left first, then whole lines. */
function* fit(word: Line, left: number, room: number): Generator<Span | 'end'> {
  let free = left;
  for (const { text, sgr } of word) {
    if (widthOf(text) <= free) {
      free -= widthOf(text);
      yield span(text, sgr);
      continue;
    }
    let piece = '';
    for (const cluster of clustersOf(text)) {
      const width = widthOfCluster(cluster);
      if (width > free) {
        if (piece !== '') yield span(piece, sgr);
        yield 'end';
        [piece, free] = ['', room];
      }
      piece += cluster;
      free -= width;
    }
    if (piece !== '') yield span(piece, sgr);
  }
}

/** Neighbours of the same style in one span. */
function join(line: Line): Line {
  const joined: Span[] = [];
  for (const it of line) {
    const last = joined.at(-1);
    if (last && last.sgr === it.sgr) joined[joined.length - 1] = span(last.text + it.text, it.sgr);
    else joined.push(it);
  }
  return joined;
}
