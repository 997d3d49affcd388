import { parsePath } from '../../workspace/parse-path.js';
import { WorkspaceFault } from '../../workspace/workspace-fault.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { ToolContext } from '../core/tool.js';
import { ToolFault } from './tool-fault.js';

export interface PermittedCall {
  readonly tool_name: string;
  /** The path in the call; the permission rules have already judged it. */
  readonly path: string;
}

/**
 * Requires that the target of a path with symbolic links is permitted, too.
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
    `${path} leads over a link to a file that the permission rules don’t let ${tool_name} take without being asked. Name the file itself, so that they decide about it.`,
  );
}

/**
 * Resolves the symbolic links of a path; the file need not exist.
 * @throws WorkspaceFault
 */
export async function findRealPath(workspace: Workspace, path: string): Promise<string> {
  const names = parsePath(path);
  for (let known = names.length; known > 0; known--) {
    const found = await locate(workspace, names.slice(0, known).join('/'));
    if (found !== undefined) return [found, ...names.slice(known)].join('/');
  }
  return names.join('/');
}

/** undefined: a parent folder is missing. */
async function locate(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    const { folder, name } = await workspace.locate(path);
    await folder.close();
    return workspace.relativePath(folder, name);
  } catch (error) {
    if (error instanceof WorkspaceFault && error.code === 'missing') return undefined;
    throw error;
  }
}
