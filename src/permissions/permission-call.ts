import type { ToolPolicy } from '../tools/tool.js';

/** A tool call that wants to run, as rules see it. */
export interface PermissionCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  /** Undefined for a tool that nobody knows. */
  readonly policy?: ToolPolicy;
  readonly chat_id?: string;
  /** The agent's type. */
  readonly agent?: string;
}
