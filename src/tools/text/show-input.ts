/** In characters. */
const MAX_LENGTH = 300;

/** Shows a call's input to people: JSON on one line, truncated if it is long. */
export function showInput(input: unknown): string {
  const text = JSON.stringify(input);
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
