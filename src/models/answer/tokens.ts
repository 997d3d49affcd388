/**
 * A token count sent by a server, as a whole number that every store can hold; 0 if there is none.
 */
export function tokens(value: unknown): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return 0;
  return Math.min(Math.max(Math.round(value), 0), Number.MAX_SAFE_INTEGER);
}
