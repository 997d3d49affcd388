import { AppError } from '../../kernel/app-error.js';

/** The last row of a page. */
export interface PageEnd {
  readonly created_at: string;
  readonly id: string;
}

const SHAPE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Za-z0-9_-]{1,64})$/;

/** @param rows up to `limit` + 1; the extra one means that there is another page */
export function toPage<R extends PageEnd>(
  rows: readonly R[],
  limit: number,
): { items: R[]; next_cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? formatPageCursor(last) : null };
}

/** @throws AppError `invalid_query` (400) */
export function parsePageCursor(text: string): PageEnd {
  const match = SHAPE.exec(Buffer.from(text, 'base64url').toString());
  const [, created_at, id] = match ?? [];
  if (created_at && id && !Number.isNaN(Date.parse(created_at))) return { created_at, id };
  const message = 'must be a next_cursor from this server';
  throw new AppError('invalid', 'invalid_query', `cursor ${message}.`, {
    errors: [{ field: 'cursor', message }],
  });
}

function formatPageCursor({ created_at, id }: PageEnd): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}
