/** Returns the first `length` UTF-16 code units of a text. */
export type Cut = (text: string, length: number) => string;

/**
 * Truncates a text from outside to `length` UTF-16 code units, without splitting a surrogate pair.
 * Halves of pairs, which vendors and databases refuse, are replaced.
 */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  const isSplit = text.length > length && /[\uD800-\uDBFF]$/.test(cut);
  return (isSplit ? cut.slice(0, -1) : cut).toWellFormed();
}
