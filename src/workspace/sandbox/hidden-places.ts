import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';

/** A place that is empty for a sandboxed command. */
export interface HiddenPlace {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders with sockets of other programs and with shared temporary files. */
const SHARED = ['/run', '/tmp', '/var/tmp'];

/** Credentials in the home folder. */
const KEYS = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh'],
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.bash_history'],
];

/**
 * The places to hide now from a command that works in `workspace`, outer folders first. A place
 * inside a hidden one is left out, unless the workspace, which stays visible, lies between them.
 */
export async function findHiddenPlaces(
  own: readonly string[],
  workspace: string,
): Promise<HiddenPlace[]> {
  const home = homedir();
  const wanted = [...own, ...SHARED, ...KEYS.map((name) => join(home, name))];
  const found = (await Promise.all(wanted.map(look))).filter((place) => place !== undefined);
  const sorted = found.toSorted((a, b) => a.path.length - b.path.length);
  return sorted.filter(({ path }, at) => {
    const outer = sorted.slice(0, at).findLast((place) => isIn(path, place.path));
    const isShown = isIn(path, workspace) && outer && !isIn(outer.path, workspace);
    return path !== sep && (!outer || isShown);
  });
}

export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

async function look(path: string): Promise<HiddenPlace | undefined> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (stats.isCharacterDevice()) return undefined; // such as /dev/null; the sandbox has its own
    return { path: real, isFolder: stats.isDirectory() };
  } catch {
    return undefined; // nothing there to hide or read
  }
}
