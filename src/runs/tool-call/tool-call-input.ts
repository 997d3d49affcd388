import type { ToolCall } from '../../protocol/message.js';
import type { AgentIdentity, ToolOutcome } from '../../agents/agent-context.js';
import type { Children } from '../children/children.js';
import type { Effect } from '../journal/effect.js';

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

/** What the model is told of a call that a crash interrupted, and that must not be repeated (I4). */
export const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';
