const UUID = /([0-9a-f]{8})-([0-9a-f]{4})-7/;

/** A step for what came into being when its id was made: steps rise along a thread. */
export function stepOf(id: string): number {
  const [, high = '0', low = '0'] = UUID.exec(id) ?? [];
  return 2 * parseInt(high + low, 16);
}
