import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { ToolPolicy } from '../tools/tool.js';

/**
 * What a server says of its tool, in our terms. As the protocol has it, a tool about which nothing is said writes, destroys, is not
 * idempotent, and reaches the world.
 */
export function toolPolicy(annotations: ToolAnnotations = {}): ToolPolicy {
  const { readOnlyHint = false, openWorldHint = true } = annotations;
  const { destructiveHint = true, idempotentHint = false } = annotations;
  const closed = readOnlyHint ? 'read' : 'write';
  return {
    category: openWorldHint ? 'network' : closed,
    read_only: readOnlyHint,
    risk: readOnlyHint ? 'low' : destructiveHint ? 'high' : 'medium',
    recovery: readOnlyHint || idempotentHint ? 'rerun' : 'report',
  };
}
