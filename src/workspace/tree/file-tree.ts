import type { Dirent } from 'node:fs';
import type { Folder } from '../folder.js';
import { parsePath } from '../parse-path.js';
import { toFault } from '../walk.js';
import type { Workspace } from '../workspace.js';
import { unsuitable } from '../workspace-fault.js';
import { Breather } from './breather.js';
import { IgnoreChain } from './ignore-chain.js';
import { SkippedFiles } from './skipped-files.js';

/** Maximum number of entries and of nested folders in a walk. */
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 64;
/** Maximum number of files in a group. */
const MAX_GROUP = 16;

/** A regular file, as a name in a folder that is open until the next group is requested. */
export interface TreeFile {
  /** Relative to the workspace, without symbolic links on the way. */
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
}

export interface TreeOptions {
  /** Aborts the walk. */
  readonly signal: AbortSignal;
  /** True if the permission rules allow the file to be named. */
  readonly shows: (path: string) => boolean;
  /** True if the folder may contain matching files. */
  readonly enters?: (path: string) => boolean;
}

/**
 * The files of a workspace in the order of their paths (UTF-16 code units), without `.git` and the
 * files that a `.gitignore` names. Symbolic links are not followed and not listed as files. Each
 * folder is opened from its parent, so nothing outside is reached.
 */
export class FileTree {
  readonly leftOut = new SkippedFiles();
  private readonly breather = new Breather();
  private left = MAX_ENTRIES;

  constructor(
    private readonly workspace: Workspace,
    private readonly options: TreeOptions,
  ) {}

  get signal(): AbortSignal {
    return this.options.signal;
  }

  /**
   * All files below a folder, in groups: consecutive files of one folder, which may be read
   * together.
   * @param at its path without symbolic links, '' for the workspace
   * @throws WorkspaceFault
   */
  async *below(at: string): AsyncGenerator<TreeFile[], void, undefined> {
    const names = parsePath(`./${at}`);
    if (names.length > MAX_DEPTH) throw unsuitable(at, 'is too deep');
    yield* this.inside(names, (folder, ignored) =>
      this.walk(folder, { at, ignored, depth: names.length }),
    );
  }

  /**
   * One file, even if a `.gitignore` names it.
   * @param at its path without symbolic links
   * @throws WorkspaceFault
   */
  async *file(at: string): AsyncGenerator<TreeFile[], void, undefined> {
    const names = parsePath(`./${at}`);
    const name = names.pop() ?? '.';
    if (!this.options.shows(at)) return void this.leftOut.leave('hidden');
    yield* this.inside(names, async function* (folder) {
      yield [{ path: at, folder, name }];
    });
  }

  /** Opens the folders on the way, each from its parent. */
  private async *inside(
    names: readonly string[],
    work: (folder: Folder, ignored: IgnoreChain) => AsyncGenerator<TreeFile[], void, undefined>,
  ): AsyncGenerator<TreeFile[], void, undefined> {
    let here = await this.workspace.root.openFolder('.');
    const way = [here];
    let ignored = IgnoreChain.NONE;
    try {
      for (const [index, name] of names.entries()) {
        ignored = await ignored.enter(here, names.slice(0, index).join('/'), this.breather);
        here = await here.openFolder(name);
        way.push(here);
      }
      yield* work(here, ignored);
    } catch (error) {
      throw toFault(error, names.join('/'));
    } finally {
      for (const folder of way) await folder.close();
    }
  }

  private async *walk(
    folder: Folder,
    { at, ignored, depth }: { at: string; ignored: IgnoreChain; depth: number },
  ): AsyncGenerator<TreeFile[], void, undefined> {
    const here = await ignored.enter(folder, at, this.breather);
    let group: TreeFile[] = [];
    for (const entry of await this.list(folder)) {
      await this.breather.breathe();
      if (this.options.signal.aborted) return;
      const { name } = entry;
      const path = at === '' ? name : `${at}/${name}`;
      if (!(await this.isOfInterest(entry, path, here))) continue;
      const isFile = entry.isFile();
      if (isFile) group.push({ path, folder, name });
      if (!isFile || group.length === MAX_GROUP) {
        if (group.length > 0) yield group;
        group = [];
      }
      if (isFile) continue;
      if (depth >= MAX_DEPTH) this.leftOut.leave('deep');
      else yield* this.enter(folder, name, { at: path, ignored: here, depth: depth + 1 });
    }
    if (group.length > 0) yield group;
  }

  private async *enter(
    parent: Folder,
    name: string,
    place: { at: string; ignored: IgnoreChain; depth: number },
  ): AsyncGenerator<TreeFile[], void, undefined> {
    const folder = await parent.openFolder(name).catch(() => undefined);
    if (!folder) return void this.leftOut.leave('unopened');
    try {
      yield* this.walk(folder, place);
    } finally {
      await folder.close();
    }
  }

  /** Lists the entries in the order of their paths. */
  private async list(folder: Folder): Promise<Dirent[]> {
    try {
      const entries = await folder.list(this.left);
      this.left -= entries.length;
      if (this.left === 0) this.leftOut.leave('more');
      const keyed = entries.map((entry) => ({ entry, key: sortKey(entry) }));
      return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
    } catch {
      this.leftOut.leave('unopened');
      return [];
    }
  }

  private async isOfInterest(entry: Dirent, path: string, ignored: IgnoreChain): Promise<boolean> {
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) return false;
    if (isFolder && entry.name === '.git') return false;
    if (await ignored.ignores(path, isFolder, this.breather)) return false;
    if (isFolder) return this.options.enters?.(path) ?? true;
    if (!isNameable(path)) return this.leftOut.leave('odd');
    return this.options.shows(path) || this.leftOut.leave('hidden');
  }
}

/** The key for sorting: `a.txt` comes before `a/b`. */
function sortKey(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** True if the path is valid as input of a tool. */
function isNameable(path: string): boolean {
  try {
    parsePath(`./${path}`);
    return true;
  } catch {
    return false;
  }
}
