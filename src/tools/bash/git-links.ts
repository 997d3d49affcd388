import { readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { COPIES } from '../../permissions/shell/programs/programs.js';
import { readPlainScript } from '../../permissions/shell/plain-script.js';
import type { PlainWord } from '../../permissions/shell/plain-script.js';
import { isInGitFolder } from '../../workspace/parse-path.js';
import { refused } from '../../workspace/workspace-fault.js';

/** Maximum number of links on the way to a file: the kernel follows as many. */
const MAX_LINKS = 40;
/** Maximum nesting of scripts: `bash -c "bash -c …"`. */
const MAX_DEPTH = 5;
/** Maximum number of folders in which a command may run. */
const MAX_FOLDERS = 20;
/** Maximum number of files that are looked at. */
const MAX_FILES = 200_000;

const IS_LINK =
  'it is a link to .git, or leads over one, and Git runs programs that files there name. Name the files in .git themselves, so that it can be judged';
const IS_LARGE = 'it has too many files to look for links to .git. Make it several calls';

/**
 * Refuses a command that would reach `.git` over a symbolic link, as permission rules judge only
 * its text. Only plain scripts are read; rules for commands allow no others.
 * @throws WorkspaceFault
 */
export async function refuseGitLinks(command: string, workspace: string): Promise<void> {
  if (!isInGitFolder(workspace)) await new Search(workspace).read(command, 0);
}

class Search {
  /** Absolute: the workspace, and each folder that a `cd` may have gone to. */
  private readonly folders: string[];
  private files = 0;

  constructor(workspace: string) {
    this.folders = [workspace];
  }

  async read(script: string, depth: number): Promise<void> {
    const plain = readPlainScript(script);
    if ('fault' in plain || depth > MAX_DEPTH) return;
    for (const [at, command] of plain.commands.entries()) {
      const words = command.map(({ text }) => text);
      for (const word of words) {
        if (/\s/.test(word)) await this.read(word, depth + 1);
        for (const path of pathsIn(word)) await this.checkPath(path, words);
      }
      await this.checkCopy(command, { isLast: at === plain.commands.length - 1 && depth === 0 });
    }
  }

  private async checkPath(path: string, words: readonly string[]): Promise<void> {
    const goes = words.includes('cd') || words.includes('pushd');
    for (const folder of [...this.folders]) {
      this.count(path, 1);
      const reached = await followLinks(folder, path);
      if (isInGitFolder(reached) && !isInGitFolder(path)) throw refused(path, IS_LINK);
      const isKnown = this.folders.includes(reached) || this.folders.length >= MAX_FOLDERS;
      if (goes && !isKnown) this.folders.push(reached);
    }
  }

  /**
   * Looks at links in the place that is written to, and at those that come along, which later
   * commands could follow.
   */
  private async checkCopy(
    words: readonly PlainWord[],
    { isLast }: { readonly isLast: boolean },
  ): Promise<void> {
    const copy = readCopy(words);
    if (!copy) return;
    const { sources, targets, recursive, globs } = copy;
    const names = new Set(globs ? ['.'] : sources.map((source) => basename(source)));
    for (const folder of [...this.folders]) {
      if (recursive && !isLast) for (const source of sources) await this.walk(folder, source, true);
      for (const target of targets)
        for (const name of names) await this.walk(folder, `${target}/${name}`, recursive);
    }
  }

  /** Looks for links at a path, and in the folder there. */
  private async walk(folder: string, path: string, recursive: boolean): Promise<void> {
    if (isInGitFolder(path)) return;
    const reached = await followLinks(folder, path);
    if (isInGitFolder(reached)) throw refused(path, IS_LINK);
    const entries = await readdir(reached, { withFileTypes: true }).catch(() => []);
    this.count(path, entries.length);
    for (const entry of entries) {
      const inner = `${path}/${entry.name}`;
      if (entry.isSymbolicLink() && isInGitFolder(await followLinks(folder, inner)))
        throw refused(inner, IS_LINK);
      if (recursive && entry.isDirectory()) await this.walk(folder, inner, true);
    }
  }

  private count(path: string, files: number): void {
    this.files += files;
    if (this.files > MAX_FILES) throw refused(path, IS_LARGE);
  }
}

/** The word, and the value of an option in it: `--target-directory=x`, `-tx`. */
function pathsIn(word: string): string[] {
  const [, value] = /^-(?:-[\w-]+=|[A-Za-z])(.+)$/s.exec(word) ?? [];
  return value === undefined ? [word] : [word, value];
}

/** All operands are sources and targets if an option names the target. */
function readCopy(words: readonly PlainWord[]) {
  const texts = words.map(({ text }) => text);
  const at = texts.findIndex((text) => COPIES.has(basename(text)));
  if (at < 0) return undefined;
  const rest = texts.slice(at + 1);
  const options = rest.filter((text) => text.startsWith('-'));
  const operands = rest.filter((text) => !text.startsWith('-'));
  const isNamed = options.some((option) => /^-[^-]*t|^--t/.test(option));
  return {
    sources: isNamed ? operands : operands.slice(0, -1),
    globs: words.some(({ glob }) => glob),
    targets: isNamed ? operands : operands.slice(-1),
    recursive:
      basename(texts[at]!) !== 'cp' ||
      options.some((option) => /^-[^-]*[rRad]|^--[ar]/.test(option)),
  };
}

/** The path without symbolic links, absolute; what does not exist is taken as it is written. */
async function followLinks(folder: string, path: string, followed = { links: 0 }): Promise<string> {
  let reached = path.startsWith('/') ? '/' : folder;
  for (const name of path.split('/')) {
    if (name === '..') reached = dirname(reached);
    if (name === '' || name === '.' || name === '..') continue;
    const target = await readlink(join(reached, name)).catch(() => undefined);
    if (target === undefined) reached = join(reached, name);
    else if (followed.links++ < MAX_LINKS) reached = await followLinks(reached, target, followed);
  }
  return reached;
}
