import type { SavedKind, SavedRows } from './encrypted/seal-saved.js';

/** Whose key seals a row. */
export type Owner = { readonly chat_uid: string } | { readonly tenant_id: string };

/** Gives the row back with all its texts sealed. Undefined: its owner is gone. */
export type SealRow = <K extends SavedKind>(
  kind: K,
  owner: Owner,
  row: SavedRows[K],
) => Promise<SavedRows[K] | undefined>;

/** Port: all rows of a store, to encrypt those that were saved in plain. */
export interface SavedTexts {
  /**
   * Replaces each row, or file, that `seal` changes, in slices. It may be called again after an
   * interruption. Returns their number.
   * @throws AppError `store_in_use` while other processes use the store
   */
  sealAll(seal: SealRow): Promise<number>;
}
