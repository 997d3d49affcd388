import { SCOPES } from '../permission-rule.js';
import type { PermissionRule } from '../permission-rule.js';

type Ordered = Pick<PermissionRule, 'id' | 'scope' | 'priority' | 'created_at'>;

/**
 * Sorts rules by order of evaluation: user, session, agent, global; within a scope by higher
 * priority, then by age. Rules of the file count as the oldest, in the order of the file.
 */
export function orderRules<T extends Ordered>(rules: readonly T[]): T[] {
  return [...rules].sort(
    (a, b) =>
      SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
      b.priority - a.priority ||
      compareAges(a, b),
  );
}

function compareAges(a: Ordered, b: Ordered): number {
  if (a.created_at === null || b.created_at === null)
    return Number(a.created_at !== null) - Number(b.created_at !== null);
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
