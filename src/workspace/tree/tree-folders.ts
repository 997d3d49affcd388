import type { Dirent } from 'node:fs';
import type { Folder } from '../folder.js';
import { parsePath } from '../parse-path.js';
import { Breather } from '../../kernel/async/breather.js';
import { IGNORE_FILE } from './ignore-chain.js';
import type { IgnoreChain } from './ignore-chain.js';
import type { SkippedFiles } from './skipped-files.js';

/** Maximum number of entries and of nested folders in a walk. */
const MAX_ENTRIES = 100_000;
export const MAX_DEPTH = 64;
/** Entries of a folder that are looked at before they are needed. */
const LOOKAHEAD = 8;

export interface TreeOptions {
  /** Aborts the walk. */
  readonly signal: AbortSignal;
  /** True if the permission rules allow the file to be named. */
  readonly shows: (path: string) => boolean;
  /** True if the folder may contain matching files. */
  readonly enters?: (path: string) => boolean;
}

/** A folder of a walk. */
export interface Place {
  /** Its path, '' for the workspace. */
  readonly at: string;
  /** Number of folders above it. */
  readonly depth: number;
}

export interface OpenFolder {
  readonly folder: Folder;
  /** In the order of their paths. */
  readonly entries: readonly Dirent[];
  /** The rules for its entries, with those of its own `.gitignore`. */
  readonly ignored: IgnoreChain;
}

/** A file, or a folder that is being opened; undefined if it can't be. */
interface Listed {
  readonly name: string;
  readonly path: string;
  readonly opened?: Promise<OpenFolder | undefined>;
}

/** Opens and lists the folders of a walk, some of them before they are needed. */
export class TreeFolders {
  readonly breather = new Breather();
  private left = MAX_ENTRIES;

  constructor(
    private readonly options: TreeOptions,
    private readonly leftOut: SkippedFiles,
  ) {}

  async enter(
    folder: Folder,
    { at, ignored }: { readonly at: string; readonly ignored: IgnoreChain },
  ): Promise<OpenFolder> {
    const entries = await this.read(folder);
    const mayHave = this.left === 0 || entries.some(({ name }) => name === IGNORE_FILE);
    const here = mayHave ? await ignored.enter(folder, at, this.breather) : ignored;
    return { folder, entries, ignored: here };
  }

  /** The entries that are of interest. Who takes a folder closes it. */
  async *list(
    { folder, entries, ignored }: OpenFolder,
    { at, depth }: Place,
  ): AsyncGenerator<Listed, void, undefined> {
    const ahead: Listed[] = [];
    try {
      for (const entry of entries) {
        await this.breather.breathe();
        if (this.options.signal.aborted) return;
        const { name } = entry;
        const path = at === '' ? name : `${at}/${name}`;
        if (!(await this.isOfInterest(entry, path, ignored))) continue;
        if (entry.isFile()) ahead.push({ name, path });
        else if (depth >= MAX_DEPTH) this.leftOut.leave('deep');
        else ahead.push({ name, path, opened: this.open(folder, name, { at: path, ignored }) });
        if (ahead.length > LOOKAHEAD) yield ahead.shift()!;
      }
      while (ahead.length > 0) yield ahead.shift()!;
    } finally {
      for (const { opened } of ahead) await (await opened)?.folder.close();
    }
  }

  /** Undefined if it can't be opened. Never rejects: its caller may not wait for it yet. */
  private async open(
    parent: Folder,
    name: string,
    place: { readonly at: string; readonly ignored: IgnoreChain },
  ): Promise<OpenFolder | undefined> {
    const folder = await parent.openFolder(name).catch(() => undefined);
    if (!folder) return void this.leftOut.leave('unopened');
    return this.enter(folder, place);
  }

  private async read(folder: Folder): Promise<Dirent[]> {
    try {
      const entries = await folder.list(this.left);
      this.left = Math.max(0, this.left - entries.length);
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
