import { z } from 'zod';
import { text } from './fields.js';

/** Page of a list. */
export function pageOf<T extends z.ZodType>(item: T, description?: string) {
  const items = z.array(item);
  return z.object({
    items: description === undefined ? items : items.describe(description),
    next_cursor: text.nullable().describe('null on the last page.'),
  });
}
