import type { FileHandle } from 'node:fs/promises';
import { findRealPath } from '../../workspace/find-real-path.js';
import { isInGitFolder } from '../../workspace/parse-path.js';
import { findFile, readFile } from '../../workspace/read-file.js';
import { replaceFile } from '../../workspace/replace-file.js';
import { refused } from '../../workspace/workspace-fault.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Workspaces } from '../../workspace/workspaces.js';

/** Maximum number of names in a list. */
const MAX_NAMES = 10_000;

interface ToolWorkspaceOptions {
  readonly workspaces: Workspaces;
  readonly chat_uid: string;
  /** A predicate over files that the call does not name: true if the rules let it use them. */
  readonly maySee: (tool_name: 'read' | 'write') => Promise<(path: string) => boolean>;
}

/**
 * The chat's workspace, for tools. Paths are relative to it; one that leads out, over a link too,
 * is refused, as are files that the permission rules keep from the tool.
 */
export class ToolWorkspace {
  constructor(private readonly options: ToolWorkspaceOptions) {}

  /** The bytes of a file of at most 4 MiB. @throws WorkspaceFault */
  read(path: string): Promise<Buffer> {
    return this.use(async (workspace) => {
      const { bytes, real_path } = await readFile(workspace, path);
      await this.requireAllowed('read', path, real_path);
      return bytes;
    });
  }

  /** A file of any size, for reading; the caller closes it. @throws WorkspaceFault */
  open(path: string): Promise<FileHandle> {
    return this.use(async (workspace) => {
      const { handle, real_path } = await workspace.openFile(path);
      try {
        await this.requireAllowed('read', path, real_path);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  /** The names in a folder, in order; those of folders end with `/`. @throws WorkspaceFault */
  list(path = '.'): Promise<string[]> {
    return this.use(async (workspace) => {
      const maySee = await this.options.maySee('read');
      const folder = await workspace.openFolder(path);
      try {
        const entries = await folder.list(MAX_NAMES);
        return entries
          .filter(({ name }) => maySee(workspace.relativePath(folder, name)))
          .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
          .sort();
      } finally {
        await folder.close();
      }
    });
  }

  /**
   * Writes a whole file in one step, with the folders that it needs. What is there is replaced.
   * @throws WorkspaceFault also for files in `.git`, which name programs that Git runs
   */
  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.use(async (workspace) => {
      const realPath = await findRealPath(workspace, path);
      await this.requireAllowed('write', path, realPath);
      if (isInGitFolder(realPath)) throw refused(path, 'Git runs programs that files in .git name');
      const before = await findFile(workspace, path);
      const bytes = Buffer.from(content as string);
      await replaceFile(workspace, { path, bytes, before: before?.stats });
    });
  }

  private use<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
    return this.options.workspaces.use(this.options.chat_uid, work);
  }

  private async requireAllowed(tool: 'read' | 'write', path: string, real: string): Promise<void> {
    const maySee = await this.options.maySee(tool);
    if (!maySee(real)) throw refused(path, 'is kept from this tool by a permission rule');
  }
}
