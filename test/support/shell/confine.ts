import { spawnSync } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { findProgram } from './logging-programs.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Changes nothing but the folder, and reaches no network. */
function inBubblewrap(folder: string): string[] {
  return [
    ...['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', folder],
    ...[folder, '--unshare-net', '--die-with-parent', '--'],
  ];
}

/**
 * A command that can change nothing but the files in a folder: as the user `nobody` if the tests
 * run as root, and otherwise in bubblewrap. A script that a wrong judge allows could run anything.
 */
export function confine(
  command: readonly string[],
  folder: string,
): { readonly command: readonly string[]; readonly options: SpawnOptions } {
  if (isRoot) return { command, options: { uid: NOBODY, gid: NOBODY } };
  const [, ...options] = inBubblewrap(folder);
  return { command: [findProgram('bwrap'), ...options, ...command], options: {} };
}

/** Why scripts can't be run safely here; undefined if they can. */
export function whyNotConfined(): string | undefined {
  if (isRoot) return undefined;
  const [, ...options] = inBubblewrap('/tmp');
  const { status } = spawnSync('bwrap', [...options, 'true'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'only root or a working bubblewrap can confine the scripts';
}
