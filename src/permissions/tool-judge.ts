import type { Json } from '../protocol/json.js';
import type { Tool } from '../tools/tool.js';
import type { FileFilter } from './file-filter.js';
import type { Decision, PermissionRule, RuleInput } from './permission-rule.js';

/** A tool call before it runs. */
export interface JudgedCall {
  readonly tool: Tool;
  readonly tool_input: Json;
  readonly chat_id: string;
  /** The agent's type. */
  readonly agent: string;
}

export interface ToolVerdict {
  readonly decision: Decision;
  /** A sentence for people. */
  readonly reason: string;
  /** The one that decided, if one did: where it forbids and the decision is to ask, the call may be one that it is about. */
  readonly rule?: { readonly decision: Decision } | null;
}

/** Where a remembered decision holds from now on. */
export type RememberScope = 'session' | 'agent' | 'global';

/** What the runtime asks of the permission rules. */
export abstract class ToolJudge {
  /** Says whether a call may run; a rule that counts its uses counts this one, once for each `use_key`. */
  abstract authorize(call: JudgedCall, use_key: string): Promise<ToolVerdict>;
  /** The same, without counting. */
  abstract check(call: JudgedCall): Promise<ToolVerdict>;
  /** Which files a call that may run may show, of those that it does not name: see `FileFilter`. */
  abstract filterFiles(call: JudgedCall, tool_names: readonly string[]): Promise<FileFilter>;
  /** The narrowest rule that decides calls like this one so, if one does. It is not added. */
  abstract suggest(
    call: JudgedCall,
    decision: 'allow' | 'deny',
    scope: RememberScope,
  ): Promise<RuleInput | undefined>;
  /**
   * Adds a rule that was suggested, unless one says the same already, and answers it.
   * @throws AppError `too_many_rules` (409)
   */
  abstract remember(rule: RuleInput): Promise<PermissionRule>;
}
