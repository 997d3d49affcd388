import type { ToolCall } from '../../protocol/message.js';
import type { AgentIdentity, ToolOutcome } from '../../agents/agent-context.js';
import type { Children } from '../children/children.js';
import type { Effect } from '../effects/effect.js';

export interface ToolCallInput {
  /** Of the turn and the index in it. */
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly call: ToolCall;
  /** Of the agent; a tool may start some. */
  readonly children: Children;
  /** The effect of a call that its tool makes. */
  readonly nest: (call: ToolCallInput) => Effect<ToolOutcome>;
  /** Why its agent's hooks want it not to run. */
  readonly refusal?: string | undefined;
  /** Made by a tool, which waits for what comes of it. */
  readonly isNested?: boolean;
}
