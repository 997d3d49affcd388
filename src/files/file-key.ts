import type { FileKey } from './file-catalog.js';

/** Matches only ids that the server makes: other keys in a store are left alone. */
const OF_FILE = /\/(file_[0-9a-f-]{36})$/;

/** Where the bytes of a file are. */
export function keyOf({ tenant_id, id }: FileKey): string {
  return `${tenant_id}/${id}`;
}

/** The id of the file whose bytes have this key; undefined: it is no key of a file. */
export function idIn(key: string): string | undefined {
  return OF_FILE.exec(key)?.[1];
}
