export interface TextEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

export type TextReplaced =
  | ({ readonly kind: 'replaced'; readonly text: string } & Places)
  | { readonly kind: 'none' }
  /** Overlapping matches are counted too. */
  | ({ readonly kind: 'several' } & Places)
  | { readonly kind: 'too_many'; readonly count: number }
  | { readonly kind: 'too_large'; readonly length: number };

/** The matches of a string. */
export interface Places {
  /** Line numbers of the first `MAX_PLACES` matches, from 1. */
  readonly lines: readonly number[];
  readonly count: number;
}

export const MAX_PLACES = 20;
/** Maximum number of replacements; more would block the event loop for too long. */
const MAX_REPLACED = 50_000;

/**
 * Replaces a string at its only match, or at all matches. An LF in the strings matches each line
 * ending of the text; the new text gets the line endings of the text that it replaces. All other
 * bytes stay the same.
 * @param maxLength of the resulting text, in UTF-16 code units
 */
export function replaceText(
  text: string,
  { old_string, new_string, replace_all }: TextEdit,
  maxLength: number,
): TextReplaced {
  const plain = withLf(text);
  const [wanted, put] = [withLf(old_string), withLf(new_string)];
  const places = findPlaces(plain, wanted, !replace_all);
  if (places.length === 0) return { kind: 'none' };
  const lines = linesAt(plain, places.slice(0, MAX_PLACES));
  const count = places.length;
  if (count > 1 && !replace_all) return { kind: 'several', lines, count };
  if (count > MAX_REPLACED) return { kind: 'too_many', count };
  const length = text.length + count * (put.length - wanted.length);
  if (length > maxLength) return { kind: 'too_large', length };
  const cuts = places.map((at) => ({ start: at, end: at + wanted.length }));
  return { kind: 'replaced', text: splice(text, cuts, put), lines, count };
}

/**
 * Finds all matches in linear time (Knuth–Morris–Pratt); `indexOf` may take time in proportion to
 * the product of both lengths.
 */
function findPlaces(text: string, wanted: string, mayOverlap: boolean): number[] {
  const borders = bordersOf(wanted);
  const places: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (unit === wanted.charCodeAt(matched)) matched++;
    if (matched < wanted.length) continue;
    places.push(at + 1 - matched);
    matched = mayOverlap ? borders[matched - 1]! : 0;
  }
  return places;
}

/** For each prefix of a text: the length of its longest proper prefix that is also its suffix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (length > 0 && unit !== text.charCodeAt(length)) length = borders[length - 1]!;
    if (unit === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}

interface Cut {
  readonly start: number;
  readonly end: number;
}

/** The offsets in `cuts` count a CRLF as one character. */
function splice(text: string, cuts: readonly Cut[], put: string): string {
  const pieces: string[] = [];
  const position = new Position(text);
  const usual = endingOf(text) ?? usualEnding(text);
  let last = 0;
  for (const { start, end } of cuts) {
    const from = position.of(start);
    const to = position.of(end);
    const ending = endingOf(text.slice(from, to)) ?? usual;
    pieces.push(text.slice(last, from), ending === CRLF ? put.replaceAll(LF, CRLF) : put);
    last = to;
  }
  return [...pieces, text.slice(last)].join('');
}

const LF = '\n';
const CRLF = '\r\n';

function withLf(text: string): string {
  return text.replaceAll(CRLF, LF);
}

/** The line ending of a text; undefined if it has none, or both kinds. */
function endingOf(text: string): string | undefined {
  const { crlf, all } = countEndings(text);
  if (all === 0) return undefined;
  if (crlf === 0) return LF;
  return crlf === all ? CRLF : undefined;
}

function usualEnding(text: string): string {
  const { crlf, all } = countEndings(text);
  return 2 * crlf > all ? CRLF : LF;
}

function countEndings(text: string): { readonly crlf: number; readonly all: number } {
  return { crlf: text.split(CRLF).length - 1, all: text.split(LF).length - 1 };
}

/**
 * Converts offsets that count a CRLF as one character into offsets of the text. Has to be called in
 * ascending order.
 */
class Position {
  /** Offset of the next CRLF, and the number of those before it. */
  private next: number;
  private passed = 0;

  constructor(private readonly text: string) {
    this.next = text.indexOf(CRLF);
  }

  of(plain: number): number {
    while (this.next !== -1 && this.next - this.passed < plain) {
      this.passed++;
      this.next = this.text.indexOf(CRLF, this.next + 2);
    }
    return plain + this.passed;
  }
}

function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1;
  let seen = 0;
  return places.map((place) => {
    for (let at = text.indexOf(LF, seen); at !== -1 && at < place; at = text.indexOf(LF, seen)) {
      line++;
      seen = at + 1;
    }
    return line;
  });
}
