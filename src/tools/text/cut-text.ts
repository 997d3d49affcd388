import type { Cut } from '../../kernel/text/cut-text.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { exactJson } from '../../kernel/json/exact-json.js';

/** In characters. */
const MAX_LENGTH = 300;

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
