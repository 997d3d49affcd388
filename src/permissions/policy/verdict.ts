import type { CodeRule } from '../rules/compiled-rule.js';
import type { Decision, PermissionRule, TraceEntry } from '../../protocol/wire/rule.js';

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
