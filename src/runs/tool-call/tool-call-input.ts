import type { ToolCall } from '../../protocol/message.js';
import type { AgentIdentity, ToolOutcome } from '../../agents/agent-context.js';
import type { Children } from '../children/children.js';
import type { Effect } from '../effects/effect.js';

export interface ToolCallInput {
  /** Key of the turn, and the index in it. */
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly call: ToolCall;
  /** Children of the agent; a tool may start some. */
  readonly children: Children;
  /** Creates the effect of a call that the tool makes. */
  readonly nest: (call: ToolCallInput) => Effect<ToolOutcome>;
  /** Reason why the agent's hooks refuse it. */
  readonly refusal?: string | undefined;
  /** The call whose tool made this one. */
  readonly parent_call_id?: string;
  /** True if a tool made the call, and waits for its result. */
  readonly isNested?: boolean;
}
