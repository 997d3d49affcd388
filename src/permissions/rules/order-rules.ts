import { z } from 'zod';
import { invalidCursor } from '../../kernel/page-cursor.js';
import { SCOPES } from '../../protocol/wire/rule.js';
import type { PermissionRule } from '../../protocol/wire/rule.js';

const cursorFields = z.tuple([
  z.enum(SCOPES),
  z.int(),
  z.iso.datetime({ precision: 3 }).nullable(),
  z.string().max(500),
]);

/** The fields of a rule that its place in the order of evaluation depends on. */
export type RulePlace = Pick<PermissionRule, 'id' | 'scope' | 'priority' | 'created_at'>;

/**
 * Sorts rules by order of evaluation: user, session, agent, global; within a scope by higher
 * priority, then by age. Rules of the file count as the oldest, in the order of the file.
 */
export function orderRules<T extends RulePlace>(rules: readonly T[]): T[] {
  return [...rules].sort(compareRules);
}

/** The rules after a place, also if the rule there was removed. Sorted like the given ones. */
export function rulesAfter<T extends RulePlace>(ordered: readonly T[], place: RulePlace): T[] {
  const at = ordered.findIndex(({ id }) => id === place.id);
  if (at >= 0) return ordered.slice(at + 1);
  return ordered.filter((rule) => compareRules(rule, place) > 0);
}

function compareRules(a: RulePlace, b: RulePlace): number {
  return (
    SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
    b.priority - a.priority ||
    compareAges(a, b)
  );
}

function compareAges(a: RulePlace, b: RulePlace): number {
  if (a.created_at === null || b.created_at === null)
    return Number(a.created_at !== null) - Number(b.created_at !== null);
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The `next_cursor` of a page of rules. */
export function formatRuleCursor({ scope, priority, created_at, id }: RulePlace): string {
  return Buffer.from(JSON.stringify([scope, priority, created_at, id])).toString('base64url');
}

/** @throws AppError `invalid_query` (400) */
export function parseRuleCursor(text: string): RulePlace {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const [scope, priority, created_at, id] = cursorFields.parse(json);
    return { scope, priority, created_at, id };
  } catch {
    throw invalidCursor();
  }
}
