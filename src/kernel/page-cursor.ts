import { AppError } from './app-error.js';

/** Items of a page unless the caller says how many. */
export const PAGE_LIMIT = 50;
/** Size of a page of a list as JSON, unless its only item is larger. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** The last row of a page. */
export interface PageEnd {
  readonly created_at: string;
  readonly id: string;
}

const SHAPE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Za-z0-9_-]{1,64})$/;

/**
 * At most `limit` rows, and `MAX_PAGE_BYTES`.
 * @param rows up to `limit` + 1; one more than fits means that there is another page
 */
export function toPage<R extends PageEnd>(
  rows: readonly R[],
  limit: number,
): { items: R[]; next_cursor: string | null };
export function toPage<R>(
  rows: readonly R[],
  limit: number,
  formatCursor: (last: R) => string,
): { items: R[]; next_cursor: string | null };
export function toPage<R extends PageEnd>(
  rows: readonly R[],
  limit: number,
  formatCursor = formatPageCursor,
): { items: R[]; next_cursor: string | null } {
  const items = rows.slice(0, Math.min(limit, countFitting(rows)));
  const last = rows.length > items.length ? items.at(-1) : undefined;
  return { items, next_cursor: last ? formatCursor(last) : null };
}

/** The first rows, with so many bytes as JSON; `cursor`: of the rest, null if there is none. */
export function fitting<R extends PageEnd>(
  rows: readonly R[],
  { limit, bytes }: { readonly limit: number; readonly bytes: number },
): { items: R[]; cursor: string | null } {
  const items = rows.slice(0, Math.min(limit, countFitting(rows, bytes)));
  const last = rows.length > items.length ? items.at(-1) : undefined;
  return { items, cursor: last ? formatPageCursor(last) : null };
}

/** The length of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function countFitting(rows: readonly unknown[], most = MAX_PAGE_BYTES): number {
  let bytes = 0;
  const end = rows.findIndex((row, i) => (bytes += jsonBytes(row)) > most && i > 0);
  return end < 0 ? rows.length : end;
}

/** True if a row comes after another, in a list with the oldest first. */
export function isAfter(row: PageEnd, end: PageEnd): boolean {
  return row.created_at === end.created_at ? row.id > end.id : row.created_at > end.created_at;
}

/** @throws AppError `invalid_query` (400) */
export function parsePageCursor(text: string): PageEnd {
  const match = SHAPE.exec(Buffer.from(text, 'base64url').toString());
  const [, created_at, id] = match ?? [];
  if (created_at && id && isDate(created_at)) return { created_at, id };
  throw invalidCursor();
}

/** `Date` takes 31 February for 3 March; databases refuse it. */
function isDate(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

export function invalidCursor(): AppError {
  const message = 'must be a next_cursor from this server';
  return new AppError('invalid', 'invalid_query', `cursor ${message}.`, {
    errors: [{ field: 'cursor', message }],
  });
}

export function formatPageCursor({ created_at, id }: PageEnd): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}
