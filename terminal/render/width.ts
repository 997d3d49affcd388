import { GLYPHS } from './theme.js';

const segmenter = new Intl.Segmenter();
const PLAIN = /^[ -~]*$/;
/** Characters of one code unit, those beyond ASCII two cells wide: most of Chinese and Japanese. */
const SIMPLE =
  /^[ -~\u3001-\u3029\u3041-\u3096\u309B-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60]*$/;
const BEYOND_ASCII = /[^ -~]/g;
/** Characters that take no cell of their own: marks, vowels and finals of Korean, and the like. */
const ZERO = /^(?!\u00AD)[\p{Mark}\p{Default_Ignorable_Code_Point}\u1160-\u11FF\uD7B0-\uD7FB]$/u;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u;
/** Size, in code units, of the longest emoji that terminals draw as one. */
const LONGEST_EMOJI = 16;
/** Scripts and blocks that take two cells, as far as terminals agree: East Asian Wide. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;

/** The cells that a text without control characters takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  if (SIMPLE.test(text)) return text.length + (text.match(BEYOND_ASCII)?.length ?? 0);
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfCluster(segment);
  return width;
}

/** The characters as a person counts them. */
export function clustersOf(text: string): string[] {
  if (SIMPLE.test(text)) return Array.from(text);
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Most take 1 or 2. One may hold any number of characters, which take their cells in terminals that
 * do not join them.
 */
export function widthOfCluster(cluster: string): number {
  if (cluster.length === 1 && cluster >= ' ' && cluster <= '~') return 1;
  if (cluster.length <= LONGEST_EMOJI && EMOJI.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  if (ZERO.test(character)) return 0;
  return EMOJI.test(character) || WIDE.test(character) ? 2 : 1;
}

/** The text, or as much of it as fits, with `…` in place of the rest. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && PLAIN.test(text)) return text;
  // No more than this can fit, however long the text is.
  const start = text.slice(0, width * 8 + 16);
  if (start.length === text.length && widthOf(text) <= width) return text;
  return `${headOf(start, width - 1)}${GLYPHS.more}`;
}

/** Returns as many characters from the start as fit. */
export function headOf(text: string, width: number): string {
  let used = 0;
  let head = '';
  for (const cluster of clustersOf(text.slice(0, Math.max(width, 0) * 8 + 16))) {
    used += widthOfCluster(cluster);
    if (used > width) break;
    head += cluster;
  }
  return head;
}

/** Returns as many characters from the end as fit, after `…` if that is not all. */
export function tailOf(text: string, width: number): string {
  const end = text.slice(-(width * 8 + 16));
  if (end.length === text.length && widthOf(text) <= width) return text;
  const clusters = clustersOf(end);
  let used = 1;
  let from = clusters.length;
  while (from > 0 && used + widthOfCluster(clusters[from - 1]!) <= width)
    used += widthOfCluster(clusters[--from]!);
  return `${GLYPHS.more}${clusters.slice(from).join('')}`;
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - widthOf(text), 0));
}
