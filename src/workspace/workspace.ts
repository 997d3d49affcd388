import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Folder } from './folder.js';
import { parsePath } from './parse-path.js';
import { toFault, walk } from './walk.js';
import type { Place, WalkOptions } from './walk.js';
import { missing, unsuitable } from './workspace-fault.js';

/** A regular file that is open for reading. The caller closes it. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** Relative to the workspace, without symbolic links. */
  readonly real_path: string;
}

/**
 * The folder that a chat's tools work in. All access to its content goes through this class, which
 * gives no access to anything else.
 */
export class Workspace {
  constructor(readonly root: Folder) {}

  /** Absolute, for processes that use it as their working directory. */
  get path(): string {
    return this.root.path;
  }

  /**
   * @throws WorkspaceFault if it leads out, is missing, or is not a regular file with a single hard
   * link
   */
  async openFile(path: string): Promise<OpenFile> {
    const { folder, name, stats } = await this.locate(path);
    try {
      if (!stats) throw missing(path);
      requireFile(path, stats);
      const opened = await openFileIn(folder, name, path);
      return { ...opened, real_path: this.relativePath(folder, name) };
    } catch (error) {
      throw toFault(error, path);
    } finally {
      await folder.close();
    }
  }

  /** The caller closes it. @throws WorkspaceFault */
  async openFolder(path: string): Promise<Folder> {
    const { folder, name, stats } = await this.locate(path);
    if (name === '.') return folder;
    try {
      if (!stats) throw missing(path);
      if (!stats.isDirectory()) throw unsuitable(path, 'is a file, not a folder');
      return await folder.openFolder(name);
    } catch (error) {
      throw toFault(error, path);
    } finally {
      await folder.close();
    }
  }

  /**
   * Returns the path without symbolic links, '' for the workspace itself, and the stats of its
   * target.
   * @throws WorkspaceFault
   */
  async resolve(path: string): Promise<{ readonly path: string; readonly stats: Stats }> {
    const { folder, name, stats } = await this.locate(path);
    await folder.close();
    if (!stats) throw missing(path);
    return { path: this.relativePath(folder, name), stats };
  }

  /**
   * Finds the target of a path, which may not exist yet. The caller closes the folder.
   * @throws WorkspaceFault
   */
  locate(path: string, options: Omit<WalkOptions, 'path'> = {}): Promise<Place> {
    return walk(this.root, parsePath(path), { path, ...options });
  }

  /** The path from the root to a name in an open folder, with `/` between the names. */
  relativePath(folder: Folder, name: string): string {
    return relative(this.root.path, join(folder.path, name)).replaceAll(sep, '/');
  }

  close(): Promise<void> {
    return this.root.close();
  }
}

/**
 * Opens a file in a folder, without following a symbolic link.
 * @throws WorkspaceFault if it is not a regular file with a single hard link
 */
export async function openFileIn(
  folder: Folder,
  name: string,
  path: string,
): Promise<Omit<OpenFile, 'real_path'>> {
  const handle = await folder.open(name, constants.O_RDONLY);
  try {
    const stats = await handle.stat();
    requireFile(path, stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** @throws WorkspaceFault */
function requireFile(path: string, stats: Stats): void {
  if (stats.isDirectory()) throw unsuitable(path, 'is a folder, not a file');
  if (!stats.isFile()) throw unsuitable(path, 'is a pipe, a socket or a device, not a file');
  if (stats.nlink > 1)
    throw unsuitable(
      path,
      'has another name elsewhere (a hard link), which may be outside of the workspace; make a copy and use that',
    );
}
