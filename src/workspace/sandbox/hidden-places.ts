import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';

/** Something that a sandboxed command finds empty. */
export interface HiddenPlace {
  /** Absolute, without links. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Where sockets of other programs and everybody's temporary files are. */
const SHARED = ['/run', '/tmp', '/var/tmp'];

/** In the home folder: what opens other doors. */
const KEYS = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh'],
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.bash_history'],
];

/**
 * What there is to hide now from a command that works in `workspace`, outer folders first. What an outer one hides already is left out, unless
 * the workspace, which is shown, lies between them.
 */
export async function findHiddenPlaces(
  own: readonly string[],
  workspace: string,
): Promise<HiddenPlace[]> {
  const home = homedir();
  const wanted = [...own, ...SHARED, resolve('.env'), ...KEYS.map((name) => join(home, name))];
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
    return { path: real, isFolder: (await stat(real)).isDirectory() };
  } catch {
    return undefined; // nothing there that could be hidden, or read
  }
}
