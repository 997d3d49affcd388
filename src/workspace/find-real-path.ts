import { posix } from 'node:path';
import type { Workspace } from './workspace.js';

/**
 * Resolves the symbolic links and other spellings of a path; the file need not exist.
 * @throws WorkspaceFault
 */
export async function findRealPath(workspace: Workspace, path: string): Promise<string> {
  const { folder, name, rest } = await workspace.locate(path, { partly: true });
  await folder.close();
  const reached = workspace.relativePath(folder, name);
  return rest.length === 0 ? reached : posix.join(reached, ...rest);
}
