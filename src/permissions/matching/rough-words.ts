import type { Word } from '../shell/script.js';

const MAX_WORDS = 2000;

/** Splits a text that can't be parsed into possible words. */
export function roughWords(text: string): Word[] {
  return text
    .normalize('NFKC')
    .replace(/["'\\\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/[\s;&|()<>`${},+[\]]+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => ({ text: word, dynamic: false, splits: false, odd: false }));
}
