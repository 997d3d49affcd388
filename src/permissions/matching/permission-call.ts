import type { ToolPolicy } from '../../tools/core/tool.js';

/** A tool call before execution, as permission rules see it. */
export interface PermissionCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  /** Undefined for an unknown tool. */
  readonly policy?: ToolPolicy;
  readonly chat_id?: string;
  /** The agent's type. */
  readonly agent?: string;
  /** The user who started the interaction, or who asks. */
  readonly user_id?: string;
}

/** A call with what determines whose rules apply. */
export interface OwnedCall extends PermissionCall {
  readonly tenant_id: string;
  readonly user_id: string;
  /** Other users whose messages the call may follow: it is judged by the rules of each, too. */
  readonly other_users?: readonly string[];
  /** Undefined: no session rule applies. */
  readonly chat_uid?: string;
}
