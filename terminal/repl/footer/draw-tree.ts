import type { AgentNode } from '../../../client/index.js';
import { sanitizeLine } from '../../render/sanitize.js';
import { span } from '../../render/span.js';
import type { Line } from '../../render/span.js';
import { SGR } from '../../render/theme.js';
import { cutTo, widthOf } from '../../render/width.js';

/** Maximum length of a prompt; more is never shown. */
const MOST_PROMPT = 400;

/** The agents of an interaction, each under the one that has started it. */
export function drawTree(nodes: readonly AgentNode[], width: number): Line[] {
  return inOrder(nodes, null, 0).map(({ node, depth }) => drawNode(node, depth, width));
}

/** The agents that work now, on at most so many rows: the ones that began last. */
export function drawWorking(
  nodes: readonly AgentNode[],
  { rows, width }: { readonly rows: number; readonly width: number },
): Line[] {
  const working = inOrder(nodes, null, 0).filter(({ node }) => node.status === 'running');
  const others = working.length > rows ? working.length - rows + 1 : 0;
  const shown = working.slice(others);
  const lines = shown.map(({ node, depth }) => drawNode(node, depth, width));
  return others === 0 ? lines : [[span(`  ${others} more agents`, SGR.dim)], ...lines];
}

interface Placed {
  readonly node: AgentNode;
  readonly depth: number;
}

function inOrder(nodes: readonly AgentNode[], parent: string | null, depth: number): Placed[] {
  return nodes
    .filter((node) => node.parent_agent_id === parent)
    .flatMap((node) => [{ node, depth }, ...inOrder(nodes, node.id, depth + 1)]);
}

function drawNode({ type, status, prompt, now }: AgentNode, depth: number, width: number): Line {
  const doing = now?.state.replaceAll('_', ' ');
  const state = sanitizeLine(now?.tool_name ? `${doing} ${now.tool_name}` : (doing ?? status));
  const lead = cutTo(`${'  '.repeat(depth + 1)}${sanitizeLine(type)}`, width);
  const room = width - widthOf(lead);
  const said = room > 1 ? cutTo(` ${state} `, room) : '';
  const left = room - widthOf(said);
  const text = left > 4 ? cutTo(sanitizeLine(prompt.slice(0, MOST_PROMPT)), left) : '';
  return [span(lead, SGR.agent), span(said, SGR.yellow), span(text, SGR.dim)];
}
