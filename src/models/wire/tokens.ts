/** A count of tokens as a server sent it; 0 when it sent none. */
export function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
