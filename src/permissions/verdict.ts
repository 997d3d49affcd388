import type { CodeRule } from './compiled-rule.js';
import type { Decision, PermissionRule } from './permission-rule.js';

/** One thing that was considered on the way to a verdict. */
export interface TraceEntry {
  /** The rule's id, or `default`. */
  readonly rule: string;
  /** The rule's scope, or `default`. */
  readonly level: string;
  readonly matched: boolean | 'maybe';
  /** What the rule decides where it matches. */
  readonly decision: Decision;
  readonly why: string;
  /** The part of a command that it was asked about. */
  readonly command?: string;
}

export interface Verdict {
  readonly decision: Decision;
  /** The one that decided; null for a built-in default. */
  readonly rule: PermissionRule | CodeRule | null;
  /** Every rule that it took: an allowed pipeline may need several. */
  readonly rules: readonly (PermissionRule | CodeRule)[];
  /** A sentence for people. */
  readonly reason: string;
  /** In the order of consideration; the first 500. */
  readonly trace: readonly TraceEntry[];
}
