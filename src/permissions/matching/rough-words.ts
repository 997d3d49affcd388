import { normalizeText } from '../../kernel/normalize-text.js';
import type { Effort } from '../../matching/effort.js';
import type { Word } from '../shell/script.js';

const MAX_WORDS = 2000;

/** Steps per character. */
const COST = 3;

/** Splits a text that can't be parsed into possible words. */
export function roughWords(text: string, effort: Effort): Word[] {
  const normalized = normalizeText(text, 'NFKC');
  effort.spend((text.length + normalized.length) * COST);
  return normalized
    .replace(/["'\\\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/[\s;&|()<>`${},+[\]]+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => ({ text: word, dynamic: false, splits: false }));
}
