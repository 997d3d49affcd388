import type { Word } from '../shell/script.js';

const MAX_WORDS = 2000;

/** What could be words in a text that can't be parsed. */
export function roughWords(text: string): Word[] {
  return text
    .normalize('NFKC')
    .replace(/["'\\\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/[\s;&|()<>`${},+[\]]+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => ({ text: word, dynamic: false, splits: false, odd: false }));
}
