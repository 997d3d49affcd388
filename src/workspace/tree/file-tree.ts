import type { Folder } from '../folder.js';
import { parsePath } from '../parse-path.js';
import { toFault } from '../walk.js';
import type { Workspace } from '../workspace.js';
import { unsuitable } from '../workspace-fault.js';
import { IgnoreChain } from './ignore-chain.js';
import { SkippedFiles } from './skipped-files.js';
import { MAX_DEPTH, TreeFolders } from './tree-folders.js';
import type { OpenFolder, Place, TreeOptions } from './tree-folders.js';

/** Maximum number of files in a group, and of walked folders that are kept open for it. */
const MAX_GROUP = 16;
const MAX_WALKED = 64;

/** A regular file, as a name in a folder that is open until the next group is requested. */
export interface TreeFile {
  /** Relative to the workspace, without symbolic links on the way. */
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
}

/**
 * The files of a workspace in the order of their paths (UTF-16 code units), without `.git` and the
 * files that a `.gitignore` names. Symbolic links are not followed and not listed as files. Each
 * folder is opened from its parent, so nothing outside is reached.
 */
export class FileTree {
  readonly leftOut = new SkippedFiles();
  private readonly folders: TreeFolders;
  private readonly group: TreeFile[] = [];
  /** Folders that were walked, also those of files in the group. */
  private readonly walked: Folder[] = [];

  constructor(
    private readonly workspace: Workspace,
    private readonly options: TreeOptions,
  ) {
    this.folders = new TreeFolders(options, this.leftOut);
  }

  get signal(): AbortSignal {
    return this.options.signal;
  }

  /**
   * All files below a folder, in groups of consecutive files, which may be read together.
   * @param at its path without symbolic links, '' for the workspace
   * @throws WorkspaceFault
   */
  async *below(at: string): AsyncGenerator<TreeFile[], void, undefined> {
    const names = parsePath(`./${at}`);
    if (names.length > MAX_DEPTH) throw unsuitable(at, 'is too deep');
    yield* this.inside(names, (folder, ignored) =>
      this.from(folder, { at, ignored, depth: names.length }),
    );
  }

  /**
   * Lists a single file, even if a `.gitignore` names it.
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
        ignored = await ignored.enter(here, names.slice(0, index).join('/'), this.folders.breather);
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

  private async *from(
    folder: Folder,
    place: Place & { readonly ignored: IgnoreChain },
  ): AsyncGenerator<TreeFile[], void, undefined> {
    try {
      yield* this.walk(await this.folders.enter(folder, place), place);
      yield* this.nextGroup();
    } finally {
      await this.closeWalked();
    }
  }

  private async *walk(
    open: OpenFolder,
    { at, depth }: Place,
  ): AsyncGenerator<TreeFile[], void, undefined> {
    const { folder } = open;
    for await (const { name, path, opened } of this.folders.list(open, { at, depth })) {
      if (!opened) this.group.push({ path, folder, name });
      const inner = await opened;
      try {
        if (inner) yield* this.walk(inner, { at: path, depth: depth + 1 });
      } finally {
        if (inner) this.walked.push(inner.folder);
      }
      if (this.group.length === MAX_GROUP || this.walked.length >= MAX_WALKED)
        yield* this.nextGroup();
    }
  }

  private async *nextGroup(): AsyncGenerator<TreeFile[], void, undefined> {
    const group = this.group.splice(0);
    if (group.length > 0) yield group;
    await this.closeWalked();
  }

  private async closeWalked(): Promise<void> {
    await Promise.all(this.walked.splice(0).map((folder) => folder.close()));
  }
}
