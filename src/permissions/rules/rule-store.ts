import type { Viewer } from '../../persistence/viewer.js';
import type { OwnedRule } from './permission-rule.js';
import type { RulePlace } from './order-rules.js';
import type { PermissionRule, RuleScope } from '../../protocol/wire/rule.js';

/**
 * A filter for rules that the viewer sees: those of their tenant, without those of other users
 * (unless the viewer is an admin) and of chats that they don't see. An omitted field matches any
 * value.
 */
export interface RuleFilter {
  readonly viewer: Viewer;
  readonly scope?: RuleScope;
  readonly scope_id?: string;
}

/** The attributes of a call that determine which rules apply. */
export interface RuledCall {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly chat_uid?: string;
  /** The agent's type. */
  readonly agent?: string;
  /** The uses of this key are left out of the rules' `uses`. */
  readonly use_key?: string;
}

/**
 * Port: the rules that were added while the server ran. A rejection means that the store is
 * unavailable or broken.
 */
export abstract class RuleStore {
  /** Oldest first, by creation time, then id; includes expired and used-up rules. */
  abstract list(filter: RuleFilter): Promise<PermissionRule[]>;
  /** In order of evaluation (`orderRules`); `after` is the last rule of the previous page. */
  abstract listInOrder(
    filter: RuleFilter,
    page: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]>;
  /**
   * The rules that can apply to a call: the global rules of its tenant, and those of its user, its
   * chat and its agent type.
   */
  abstract listFor(call: RuledCall): Promise<PermissionRule[]>;
  abstract find(id: string, viewer: Viewer): Promise<PermissionRule | undefined>;
  /**
   * Returns false and changes nothing if the id exists, if its scope and scope id already have
   * `limit` rules in its tenant, or if it is for a chat that does not exist. Its rules go with a
   * chat.
   */
  abstract add(rule: OwnedRule, limit: number): Promise<boolean>;
  /** Returns true if the rule was there. */
  abstract remove(id: string, viewer: Viewer): Promise<boolean>;
  /** Returns the number of removed rules. */
  abstract removeAll(filter: RuleFilter): Promise<number>;
  /**
   * Counts one use, atomically with the check that `max_uses` is not reached. Returns true if the
   * use was granted; false if the rule is used up or removed. A use with a key that was already
   * counted (one of the last `MAX_USES_KEPT`) is granted and not counted again.
   */
  abstract countUse(id: string, use_key: string): Promise<boolean>;
  /** Same contract as `countUse`, for a rule of a file: only its uses are kept here, by its id. */
  abstract countUseInFile(
    rule: Pick<PermissionRule, 'id' | 'max_uses'>,
    use_key: string,
  ): Promise<boolean>;
  /** The uses of rules of files, those of `use_key` left out; an unused rule may be missing. */
  abstract listUsesInFiles(
    ids: readonly string[],
    use_key?: string,
  ): Promise<ReadonlyMap<string, number>>;
}
