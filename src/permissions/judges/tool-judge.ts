import type { Principal } from '../../auth/principal.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Json } from '../../protocol/json.js';
import type { Tool } from '../../tools/core/tool.js';
import type { ShownFiles } from '../policy/file-filter.js';
import type { Decision, PermissionRule, RuleInput } from '../../protocol/wire/rule.js';

/** A tool call before it is executed. */
export interface JudgedCall {
  readonly tool: Tool;
  readonly tool_input: Json;
  /** The one that it belongs to. */
  readonly interaction: Pick<InteractionRow, 'chat_id' | 'chat_uid' | 'tenant_id' | 'started_by'>;
  /** The agent's type. */
  readonly agent: string;
  /** The users whose words it may follow, besides those of who started the interaction. */
  readonly speakers?: readonly string[];
}

export interface ToolVerdict {
  readonly decision: Decision;
  /** A sentence for people. */
  readonly reason: string;
  /**
   * The rule that decided, if there is one. If the rule forbids and the decision is to ask, the
   * rule may match the call.
   */
  readonly rule?: { readonly decision: Decision } | null;
}

/** The scope of a remembered decision. */
export type RememberScope = 'session' | 'agent' | 'global';

/** The rule of a remembered decision. */
export interface RememberedRule {
  readonly rule: PermissionRule;
  /** False: a rule with the same effect existed. */
  readonly isNew: boolean;
}

/** The permission checks that the agent runtime uses. */
export abstract class ToolJudge {
  /**
   * Decides if a call may run. A rule with a maximum number of uses counts this use, once per
   * `use_key`.
   */
  abstract authorize(call: JudgedCall, use_key: string): Promise<ToolVerdict>;
  /** Same decision as `authorize`, without counting a use. */
  abstract check(call: JudgedCall): Promise<ToolVerdict>;
  /** Decides which files an allowed call may show that it does not name: see `FileFilter`. */
  abstract filterFiles(call: JudgedCall, tool_names: readonly string[]): Promise<ShownFiles>;
  /**
   * The narrowest rule that gives calls like this one this decision, if there is one. It is not
   * added.
   */
  abstract suggest(
    call: JudgedCall,
    decision: 'allow' | 'deny',
    scope: RememberScope,
  ): Promise<RuleInput | undefined>;
  /** True if this rule, without any other, gives the call its decision. */
  abstract wouldDecide(rule: RuleInput, call: JudgedCall): Promise<boolean>;
  /**
   * Adds a suggested rule, unless a rule with the same effect exists, and returns the rule.
   * @throws AppError `too_many_rules` (409)
   */
  abstract remember(caller: Principal, rule: RuleInput): Promise<RememberedRule>;
  /** Takes back a rule that `remember` has added. */
  abstract forget(caller: Principal, rule: PermissionRule): Promise<void>;
}
