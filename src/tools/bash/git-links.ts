import { readFile, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { COPIES } from '../../permissions/shell/programs/programs.js';
import { readPlainScript } from '../../permissions/shell/plain-script.js';
import { isInGitFolder } from '../../workspace/parse-path.js';
import { refused } from '../../workspace/workspace-fault.js';

/** Maximum number of links on the way to a file, and of bytes of a path: those of Linux. */
const MAX_LINKS = 40;
const MAX_PATH = 4096;
/** Maximum nesting of scripts: `bash -c "bash -c …"`. */
const MAX_DEPTH = 5;
/** Maximum numbers of names on the ways of paths, and of files in the workspace. */
const MAX_NAMES = 2_000_000;
const MAX_FILES = 2_000_000;

const LEADS =
  'it leads over a link to .git, where files name programs that Git runs. Name the file in .git itself, so that it can be judged';
const IS_LINK =
  'it is a link to .git, or may be, and over it this command could write files that name programs which Git runs. Remove the link first, with rm';
const IS_LARGE = 'there is too much to look for links to .git. Make it several calls';

/**
 * Refuses a command that could write into `.git` over a symbolic link, which permission rules don't
 * see, as they judge its text: its words must not lead over one, and a command that copies or moves
 * files does not run while there is one in the workspace. Only plain scripts are read; rules for
 * commands allow no others.
 * @throws WorkspaceFault, the signal's reason
 */
export async function refuseGitLinks(
  command: string,
  workspace: string,
  signal: AbortSignal,
): Promise<void> {
  const commands = commandsOf(command, 0);
  if (commands.length === 0 || isInGitFolder(workspace)) return;
  const search = new Search(workspace, await gitFoldersOf(workspace), signal);
  const copies = commands.some((words) => words.some(isCopy));
  for (const words of commands)
    for (const path of words.flatMap(pathsIn)) {
      const isRemoved = /^(?:rm|unlink)$/.test(words[0]!);
      await search.checkPath(isRemoved ? dirname(path) : path, copies);
    }
  if (copies) await search.checkFolder('');
}

class Search {
  private names = 0;
  private files = 0;

  constructor(
    private readonly workspace: string,
    private readonly gitFolders: readonly string[],
    private readonly signal: AbortSignal,
  ) {}

  async checkPath(path: string, copies: boolean): Promise<void> {
    this.signal.throwIfAborted();
    const reached = await this.follow(this.workspace, path);
    const isBad = this.isInGit(reached) || (copies && isUncertain(reached));
    if (isBad && !isInGitFolder(path)) throw refused(path, LEADS);
  }

  /** Looks for links in a folder of the workspace, and in all below it. */
  async checkFolder(path: string): Promise<void> {
    this.signal.throwIfAborted();
    const folder = join(this.workspace, path);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    this.files += entries.length;
    if (this.files > MAX_FILES) throw refused(path, IS_LARGE);
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isSymbolicLink()) await this.checkLink(folder, inner);
      else if (entry.isDirectory() && !isInGitFolder(entry.name)) await this.checkFolder(inner);
    }
  }

  /** A link with `.git` in its text may lead there when it is moved. */
  private async checkLink(folder: string, path: string): Promise<void> {
    const target = await readlink(join(this.workspace, path)).catch(() => '');
    const reached = await this.follow(folder, target);
    if (isInGitFolder(target) || this.isInGit(reached) || isUncertain(reached))
      throw refused(path, IS_LINK);
  }

  private isInGit(path: string): boolean {
    const isIn = (folder: string) => path === folder || path.startsWith(folder + sep);
    return isInGitFolder(path) || this.gitFolders.some(isIn);
  }

  /**
   * The path without symbolic links, absolute, up to a link in `/proc`, which is another for each
   * process; what does not exist is taken as it is written.
   */
  private async follow(folder: string, path: string, followed = { links: 0 }): Promise<string> {
    let reached = path.startsWith('/') ? '/' : folder;
    if (path.length > MAX_PATH) return reached;
    for (const name of path.split('/')) {
      if (name === '..') reached = dirname(reached);
      if (name === '' || name === '.' || name === '..') continue;
      this.signal.throwIfAborted();
      if (++this.names > MAX_NAMES) throw refused(path, IS_LARGE);
      if (isUncertain(reached)) return reached;
      const target = await readlink(join(reached, name)).catch(() => undefined);
      if (target === undefined || isUncertain(join(reached, name))) reached = join(reached, name);
      else if (++followed.links > MAX_LINKS) return reached;
      else reached = await this.follow(reached, target, followed);
      if (followed.links > MAX_LINKS) return reached;
    }
    return reached;
  }
}

function isUncertain(path: string): boolean {
  return path.startsWith('/proc/') || path.startsWith('/dev/fd');
}

/** The words of all commands of a plain script, and of the scripts in its words. */
function commandsOf(script: string, depth: number): string[][] {
  const plain = readPlainScript(script);
  if ('fault' in plain || depth > MAX_DEPTH) return [];
  const commands = plain.commands.map((words) => words.map(({ text }) => text));
  const inner = commands.flat().filter((word) => /\s/.test(word));
  return [...commands, ...inner.flatMap((word) => commandsOf(word, depth + 1))];
}

function isCopy(word: string, at: number, words: readonly string[]): boolean {
  return COPIES.has(basename(word)) || (word === 'clone' && words[at - 1] === 'git');
}

/** The word, and what can be the value of an option in it: `--target-directory=x`, `-vtx`. */
function pathsIn(word: string): string[] {
  const [, value] = /^--[\w-]+=(.+)$/s.exec(word) ?? [];
  const [, letters = ''] = /^-([A-Za-z].{1,200})$/s.exec(word) ?? [];
  const attached = Array.from(letters, (_, at) => letters.slice(at + 1)).filter(Boolean);
  return [word, ...(value === undefined ? [] : [value]), ...attached];
}

/** Folders of Git for a worktree or submodule, whose `.git` is a file: they may have any name. */
async function gitFoldersOf(workspace: string): Promise<string[]> {
  const link = await readFile(join(workspace, '.git'), 'utf8').catch(() => '');
  const [, own] = /^gitdir: ([^\n]+)/.exec(link) ?? [];
  if (own === undefined) return [];
  const folder = join(own.startsWith('/') ? '/' : workspace, own);
  const common = await readFile(join(folder, 'commondir'), 'utf8').catch(() => '.');
  const shared = common.trim();
  return [folder, join(shared.startsWith('/') ? '/' : folder, shared)];
}
