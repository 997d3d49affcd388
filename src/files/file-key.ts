import type { FileKey } from './file-catalog.js';

/** Where the bytes of a file are. */
export function keyOf({ tenant_id, id }: FileKey): string {
  return `${tenant_id}/${id}`;
}
