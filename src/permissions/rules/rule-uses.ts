import type { PermissionRule } from '../../protocol/wire/rule.js';

/**
 * Number of use keys that are kept per rule, newest first. A use with an older key would be counted
 * again.
 */
export const MAX_USES_KEPT = 100;

/** The number of uses of a rule, and their keys. */
export interface RuleUses {
  readonly uses: number;
  /** The keys of the newest uses, newest first. Missing if the rule has no counted use. */
  readonly used_by?: readonly string[];
}

/**
 * Adds this use to the uses of the rule; unchanged if its key is already there; undefined if the
 * rule is used up.
 */
export function countUse(
  { uses, used_by = [], max_uses }: RuleUses & Pick<PermissionRule, 'max_uses'>,
  useKey: string,
): Required<RuleUses> | undefined {
  if (used_by.includes(useKey)) return { uses, used_by };
  if (max_uses !== null && uses >= max_uses) return undefined;
  return { uses: uses + 1, used_by: [useKey, ...used_by].slice(0, MAX_USES_KEPT) };
}

/** The number of uses with other keys than this one. */
export function usesWithout({ uses, used_by = [] }: RuleUses, useKey: string | undefined): number {
  return useKey !== undefined && used_by.includes(useKey) ? Math.max(0, uses - 1) : uses;
}
