import { z } from 'zod';
import { invalidCursor } from '../../http/input/page-cursor.js';
import { SCOPES } from '../permission-rule.js';
import type { RulePlace } from './order-rules.js';

const place = z.tuple([
  z.enum(SCOPES),
  z.int(),
  z.iso.datetime({ precision: 3 }).nullable(),
  z.string().max(500),
]);

/** The `next_cursor` of a page of rules. */
export function formatRuleCursor({ scope, priority, created_at, id }: RulePlace): string {
  return Buffer.from(JSON.stringify([scope, priority, created_at, id])).toString('base64url');
}

/** @throws AppError `invalid_query` (400) */
export function parseRuleCursor(text: string): RulePlace {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const [scope, priority, created_at, id] = place.parse(json);
    return { scope, priority, created_at, id };
  } catch {
    throw invalidCursor();
  }
}
