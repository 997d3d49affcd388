import { normalizeText } from '../../kernel/text/normalize-text.js';
import type { Effort } from '../../matching/effort.js';
import type { Word } from '../shell/script.js';

const MAX_WORDS = 2000;

/** Steps per character. */
const COST = 3;

/** Stands for the words of a text that are not read. */
export const UNREAD: Word = { text: '', dynamic: true, splits: true };

/** Splits a text that can't be parsed into possible words; the last one of too many is `UNREAD`. */
export function roughWords(text: string, effort: Effort): Word[] {
  const normalized = normalizeText(text, 'NFKC');
  effort.spend((text.length + normalized.length) * COST);
  const words = normalized
    .replace(/["'\\\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/[\s;&|()<>`${},+[\]]+/)
    .filter((word) => word !== '')
    .map((word) => ({ text: word, dynamic: false, splits: false }));
  return words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), UNREAD] : words;
}
