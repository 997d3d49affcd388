/** The oldest server that has all that this client uses. */
export const OLDEST_SERVER = '0.1.0';

/**
 * True for a server that may lack some of what this client uses. `version` is that of
 * `client.health.ready()`; of an unknown one nothing is known.
 */
export function isOutdated(version: string | undefined, oldest = OLDEST_SERVER): boolean {
  const [a, b] = [version, oldest].map(partsOf);
  if (!a || !b) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

/** `1.12.0-beta.1` → `[1, 12, 0]` */
function partsOf(version = ''): number[] | undefined {
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version);
  return parts?.slice(1).map(Number);
}
