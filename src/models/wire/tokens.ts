/** A token count sent by a server; 0 if there is none. */
export function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
