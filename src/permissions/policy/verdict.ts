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
