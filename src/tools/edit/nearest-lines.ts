/** A candidate: lines of the text that are similar to the lines sought. */
export interface NearLines {
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
  /** True if only white space differs. */
  readonly is_spaced: boolean;
}

const MAX_PLACES = 3;
/**
 * Bounds on the comparison, which limit its time: the lines and characters of the text, and the
 * lines sought.
 */
const MAX_LINES = 50_000;
const MAX_CHARACTERS = 300_000;
const MAX_WANTED = 20;
const MAX_LINE = 400;
/** Maximum number of candidates that are compared in full. */
const MAX_TRIED = 100;
/** Minimum similarity of a candidate, from 0 to 1. */
const MIN_SIMILARITY = 0.4;

/**
 * Returns the places of a text that are most similar to the lines that were not found, best first.
 */
export function nearestLines(text: string, wanted: string): NearLines[] {
  const all = wanted.split('\n');
  while (all.at(-1) === '' && all.length > 1) all.pop();
  const sought = all.slice(0, MAX_WANTED).map(prepare);
  const lines = text.slice(0, MAX_CHARACTERS).split('\n', MAX_LINES);
  const prepared = lines.map(prepare);
  const anchor = sought.reduce((best, line, at) => (isLonger(line, sought[best]!) ? at : best), 0);
  if (sought[anchor]!.text === '') return [];
  const scored = likeliest(prepared, sought[anchor]!)
    .map((at) => at - anchor)
    .filter((first) => first >= 0)
    .map((first) => ({ first, score: likeness(prepared, first, sought) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || a.first - b.first);
  const same = scored.filter(({ score }) => score === 1);
  return withoutOverlap(same.length > 0 ? same : scored, all.length).map(({ first, score }) => ({
    first: first + 1,
    lines: lines.slice(first, first + all.length),
    is_spaced: score === 1,
  }));
}

interface Line {
  /** The line without its white space. */
  readonly text: string;
  readonly words: readonly string[];
}

function prepare(line: string): Line {
  const cut = line.slice(0, MAX_LINE);
  return {
    text: cut.replace(/\s+/g, ''),
    words: cut.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [],
  };
}

function isLonger(line: Line, other: Line): boolean {
  return line.text.length > other.text.length;
}

/** Returns the lines that are most similar to one line. */
function likeliest(lines: readonly Line[], anchor: Line): number[] {
  return lines
    .map((line, at) => ({ at, score: similarity(line, anchor) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_TRIED)
    .map(({ at }) => at);
}

/** Similarity of the lines from `first` on to the lines sought, from 0 to 1. */
function likeness(lines: readonly Line[], first: number, sought: readonly Line[]): number {
  const scores = sought.map((line, at) => similarity(lines[first + at] ?? prepare(''), line));
  return scores.reduce((sum, score) => sum + score, 0) / sought.length;
}

/** Similarity of two lines by the words that they have in common; 1: only white space differs. */
function similarity(a: Line, b: Line): number {
  if (a.text === b.text) return 1;
  const left = new Map<string, number>();
  for (const word of a.words) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b.words) {
    const count = left.get(word) ?? 0;
    if (count > 0) common++;
    left.set(word, count - 1);
  }
  const total = a.words.length + b.words.length;
  return total === 0 ? 0 : Math.min((2 * common) / total, 0.99);
}

function withoutOverlap<T extends { readonly first: number }>(
  places: readonly T[],
  height: number,
): T[] {
  const chosen: T[] = [];
  for (const place of places) {
    const overlaps = chosen.some(({ first }) => Math.abs(first - place.first) < height);
    if (!overlaps && chosen.length < MAX_PLACES) chosen.push(place);
  }
  return chosen;
}
