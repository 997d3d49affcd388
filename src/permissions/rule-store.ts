import type { PermissionRule, RuleScope } from './permission-rule.js';

/** Which rules; those that are left out count as any. */
export interface RuleFilter {
  readonly scope?: RuleScope;
  readonly scope_id?: string;
}

/** A call that rules may apply to. */
export interface RuledCall {
  readonly chat_id?: string;
  /** The agent's type. */
  readonly agent?: string;
  /** What uses of this key count for is left out of the rules' `uses`. */
  readonly use_key?: string;
}

/** Port: the rules that were added while the server ran. Rejections mean that the store is away or broken. */
export abstract class RuleStore {
  /** Oldest first, by creation then id; also those that have expired or are used up. */
  abstract list(filter?: RuleFilter): Promise<PermissionRule[]>;
  /** The rules that can apply to a call: of all users, global, of its chat and of its agent type. */
  abstract listFor(call: RuledCall): Promise<PermissionRule[]>;
  abstract find(id: string): Promise<PermissionRule | undefined>;
  /** Answers false, and changes nothing, when the id is taken or `limit` rules of its scope and scope id are there already. */
  abstract add(rule: PermissionRule, limit: number): Promise<boolean>;
  /** Answers whether it was there. */
  abstract remove(id: string): Promise<boolean>;
  /** Answers the rules that went. */
  abstract removeScope(scope: RuleScope, scopeId?: string): Promise<number>;
  /**
   * Counts one use, in one step with the check that `max_uses` is not reached yet. Answers whether the use was granted: not if the rule
   * is used up or gone. A use of a key that was counted (one of the last `MAX_USES_KEPT`) is granted, and not counted again.
   */
  abstract countUse(id: string, use_key: string): Promise<boolean>;
}
