import { exactJson } from '../../kernel/exact-json.js';

/** In characters. */
const MAX_LENGTH = 300;

/** Returns the first `length` UTF-16 code units of a text. */
export type Cut = (text: string, length: number) => string;

/** Truncates a text to `length` UTF-16 code units, without splitting a surrogate pair. */
export function cutText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** The beginning of a line that is longer than that, and how much is left out. */
export function cutLine(line: string, most: number, cut: Cut): string {
  const shown = cut(line, most);
  return `${shown} [… ${line.length - shown.length} more characters]`;
}

/** Shows a call's input to people: JSON on one line, truncated if it is long. */
export function showInput(input: unknown): string {
  const text = exactJson(input);
  if (text.length <= MAX_LENGTH) return text;
  return `${cutText(text, MAX_LENGTH)}…`;
}
