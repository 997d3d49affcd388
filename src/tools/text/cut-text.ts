/** In characters. */
const MAX_LENGTH = 300;

/** Truncates a text to `length` UTF-16 code units, without splitting a surrogate pair. */
export function cutText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** Shows a call's input to people: JSON on one line, truncated if it is long. */
export function showInput(input: unknown): string {
  const text = JSON.stringify(input);
  if (text.length <= MAX_LENGTH) return text;
  return `${cutText(text, MAX_LENGTH)}…`;
}
