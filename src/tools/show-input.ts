/** Characters. */
const MAX_LENGTH = 300;

/** A call's input in a sentence for people: JSON on one line, its beginning if that is long. */
export function showInput(input: unknown): string {
  const text = JSON.stringify(input);
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
