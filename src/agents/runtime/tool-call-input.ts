import type { ToolCall } from '../../protocol/message.js';
import type { AgentIdentity } from '../agent-context.js';
import type { Children } from './children.js';

export interface ToolCallInput {
  /** Of the turn and the index in it. */
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly call: ToolCall;
  /** Of the agent; a tool may start some. */
  readonly children: Children;
}

/** What the model is told of a call that a crash interrupted, and that must not be repeated (I4). */
export const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';
