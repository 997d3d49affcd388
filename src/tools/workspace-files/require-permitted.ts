import { parsePath } from '../../workspace/parse-path.js';
import type { ToolContext } from '../core/tool.js';
import { ToolFault } from './tool-fault.js';

export interface PermittedCall {
  readonly tool_name: string;
  /** The path in the call; the permission rules have already judged it. */
  readonly path: string;
}

/**
 * Requires that the target of a path is permitted, too: it may lead over symbolic links, or spell
 * its letters in another way.
 * @throws ToolFault
 */
export async function requirePermitted(
  { tool_name, path }: PermittedCall,
  realPath: string,
  { may_show }: Pick<ToolContext, 'may_show'>,
): Promise<void> {
  if (parsePath(path).join('/') === realPath) return;
  const isPermitted = await may_show([tool_name]);
  if (isPermitted(realPath)) return;
  throw new ToolFault(
    `${path} leads over a link, or by another spelling, to a file that the permission rules don’t let ${tool_name} take without being asked. Name the file itself, so that they decide about it.`,
  );
}
