import { parsePath } from './parse-path.js';
import { WorkspaceFault } from './workspace-fault.js';
import type { Workspace } from './workspace.js';

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
