import { readFileSync } from 'node:fs';
import { isOutdated, OLDEST_SERVER } from '../client/index.js';

export function versionOfPackage(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The advice about a server that is too old; undefined for one that is not, or may not be. */
export function adviceFor(version: string | undefined): string | undefined {
  if (!isOutdated(version)) return undefined;
  return `The server has version ${version}, and this terminal needs ${OLDEST_SERVER} or a newer one: some of it may not work. Update the server.`;
}
