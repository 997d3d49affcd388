import type { CodeRule } from '../rules/compiled-rule.js';
import type { Decision, PermissionRule } from '../rules/permission-rule.js';

/** One step of the evaluation that led to a verdict. */
export interface TraceEntry {
  /** The rule's id, or `default`. */
  readonly rule: string;
  /** The rule's scope, or `default`. */
  readonly level: string;
  readonly matched: boolean | 'maybe';
  /** The decision of the rule if it matches. */
  readonly decision: Decision;
  readonly why: string;
  /** The part of a command that was judged. */
  readonly command?: string;
}

export interface Verdict {
  readonly decision: Decision;
  /** The rule that decided; null for a built-in default. */
  readonly rule: PermissionRule | CodeRule | null;
  /** Every rule that contributed: an allowed pipeline may need several. */
  readonly rules: readonly (PermissionRule | CodeRule)[];
  /** A sentence for people. */
  readonly reason: string;
  /** In order of evaluation; the first 500 entries. */
  readonly trace: readonly TraceEntry[];
}

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two verdicts on one call, the second by the rules of another user. */
export function joinVerdicts(a: Verdict, b: Verdict): Verdict {
  if (STRICTNESS[b.decision] > STRICTNESS[a.decision])
    return { ...b, reason: `By the rules of another user who has spoken here: ${b.reason}` };
  if (a.decision !== 'allow' || b.decision !== 'allow') return a;
  const known = new Set(a.rules.map(({ id }) => id));
  return { ...a, rules: [...a.rules, ...b.rules.filter(({ id }) => !known.has(id))] };
}
