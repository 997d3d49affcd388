import type { AgentNode, Told } from './agent-node.js';
import type { AgentView } from '../../protocol/wire/agent.js';

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
