import type { Json } from '../../protocol/json.js';
import type { AgentState } from '../../protocol/agent.js';
import type { Usage } from '../../protocol/interaction.js';
import type { AgentFocus, AgentNode, Told } from './agent-node.js';

/** One agent as clients see it, without its messages. */
export interface AgentView extends AgentFocus {
  readonly agent_id: string;
  readonly agent_type: string;
  readonly parent_agent_id: string | null;
  readonly parent_tool_call_id: string | null;
  readonly state: AgentState;
  readonly prompt: string;
  readonly result: string | null;
  readonly usage: Usage;
  readonly turns: number;
  readonly tool_calls: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly metadata: Json;
  /** Of the last intervention of a person; `unchanged` before any. */
  readonly user_comment: string;
  readonly user_content: string | null;
  readonly children: readonly AgentView[];
}

/** `told`: the last accepted interventions, by agent, if any are known besides those of the log. */
export function viewAgent(node: AgentNode, told?: ReadonlyMap<string, Told>): AgentView {
  const { beginning, state, result, usage, turns, tool_calls, completed_at } = node;
  const { depth: _depth, prompt, started_at, ...names } = beginning;
  const { user_comment, user_content } = told?.get(node.id) ?? node.told;
  return {
    ...{ ...names, state, prompt, result, usage, turns, tool_calls, started_at, completed_at },
    ...{ user_comment, user_content },
    ...node.focus,
    children: node.children.map((child) => viewAgent(child, told)),
  };
}
