/** The beginning of a text: at most `length` UTF-16 code units, without half a character at the end. */
export function cutText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
