import { readFileSync } from 'node:fs';

/** The oldest server that has all that this terminal uses. */
const OLDEST_SERVER = '0.1.0';

export function versionOfPackage(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** True if both are versions, such as `1.12.0`, and the first one is the lower. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((it) => /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(it)?.slice(1));
  if (!a || !b) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && Number(a[at]) < Number(b[at]);
}

/** The advice about a server that is too old; undefined for one that is not, or may not be. */
export function adviceFor(version: string | undefined): string | undefined {
  if (version === undefined || !isOlder(version, OLDEST_SERVER)) return undefined;
  return `The server has version ${version}, and this terminal needs ${OLDEST_SERVER} or a newer one: some of it may not work. Update the server.`;
}
