import type { PermissionRule } from '../permission-rule.js';

/** Of a rule's uses the keys of the newest are kept; one that is older would be counted again. */
export const MAX_USES_KEPT = 100;

/** How often a rule was used, and by what. */
export interface RuleUses {
  readonly uses: number;
  /** The keys of the newest uses, newest first. Where it is missing, the rule was never used so. */
  readonly used_by?: readonly string[];
}

/** The rule's uses with this one, or as they are if it is among them; undefined if the rule is used up. */
export function countUse(
  { uses, used_by = [], max_uses }: RuleUses & Pick<PermissionRule, 'max_uses'>,
  useKey: string,
): Required<RuleUses> | undefined {
  if (used_by.includes(useKey)) return { uses, used_by };
  if (max_uses !== null && uses >= max_uses) return undefined;
  return { uses: uses + 1, used_by: [useKey, ...used_by].slice(0, MAX_USES_KEPT) };
}

/** How often it was used besides by this. */
export function usesWithout({ uses, used_by = [] }: RuleUses, useKey: string | undefined): number {
  return useKey !== undefined && used_by.includes(useKey) ? Math.max(0, uses - 1) : uses;
}
