import { decryptionFailed } from '../../encryption/data-key.js';
import { isUnreadable, nameUnreadable } from '../../encryption/unreadable.js';
import { AppError } from '../../kernel/app-error.js';

export interface OpenEach<R> {
  readonly open: (rows: readonly R[]) => Promise<R[]>;
  /** A row that can't be opened as a list shows it; undefined: not at all. */
  readonly withoutTexts: (row: R) => R | undefined;
  /**
   * False: the row was deleted with its chat. Without it, a text that names a key that is not there
   * is of a deleted chat; with it, the name may also be damaged.
   */
  readonly isThere?: (row: R) => Promise<boolean>;
}

/** The rows of a list. One that was changed in the store does not keep the others from it. */
export async function openEach<R extends { readonly id: string }>(
  rows: readonly R[],
  { open, withoutTexts, isThere }: OpenEach<R>,
): Promise<R[]> {
  try {
    return await open(rows);
  } catch (error) {
    if (!isUnreadable(error) && !isOfDeletedChat(error)) throw error;
  }
  const opened = rows.map(async (row) => {
    try {
      return (await open([row]))[0];
    } catch (error) {
      const isOfDeleted = isOfDeletedChat(error);
      if (isOfDeleted && !(await isThere?.(row))) return undefined;
      nameUnreadable(row.id, isOfDeleted ? decryptionFailed([row.id, 'key']) : error);
      return withoutTexts(row);
    }
  });
  return (await Promise.all(opened)).filter((row) => row !== undefined);
}

/**
 * A page of a list from which rows may be left out: as many rows as `limit`, or all that are left.
 * @param read gives those after a row, or the first
 */
export async function fillPage<R extends { readonly id: string }>(
  limit: number,
  read: (after: R | undefined) => Promise<readonly R[]>,
  how: Omit<OpenEach<R>, 'withoutTexts'>,
): Promise<R[]> {
  const page: R[] = [];
  for (let last: R | undefined; ;) {
    const rows = await read(last);
    const opened = await openEach(rows, { ...how, withoutTexts: () => undefined });
    page.push(...opened);
    if (opened.length === rows.length || page.length >= limit) return page.slice(0, limit);
    last = rows.at(-1);
  }
}

/** Its chat is deleted meanwhile. */
function isOfDeletedChat(error: unknown): boolean {
  return error instanceof AppError && error.code === 'chat_not_found';
}
