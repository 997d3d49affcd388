import type { Effort } from '../../matching/effort.js';
import type { Word } from '../shell/script.js';

const MAX_WORDS = 2000;

/** Steps per character. */
const COST = 4;

/** Splits a text that can't be parsed into possible words. */
export function roughWords(text: string, effort: Effort): Word[] {
  effort.spend(text.length * COST);
  return text
    .normalize('NFKC')
    .replace(/["'\\\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/[\s;&|()<>`${},+[\]]+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => ({ text: word, dynamic: false, splits: false, odd: false }));
}
