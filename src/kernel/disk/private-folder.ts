import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from './missing-path.js';
import { AppError } from '../app-error.js';

const OTHERS = 0o077;
const UNUSABLE = { DATA_DIR: 'data_dir_unusable', FILES_DIR: 'files_dir_unusable' } as const;
const HOLDS = { DATA_DIR: 'conversations', FILES_DIR: 'files of people' } as const;

/** The variable that names a folder of the server's own. */
type Variable = 'DATA_DIR' | 'FILES_DIR';

/**
 * Makes a folder, private to its owner, or checks that files can be written in it.
 * @throws AppError `data_dir_unusable`, `files_dir_unusable`
 */
export async function makePrivateFolder(variable: Variable, path: string): Promise<void> {
  try {
    await makeFolder(path);
    const probe = join(path, `.probe-${randomUUID()}`);
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new AppError(
      'internal',
      UNUSABLE[variable],
      `${variable} ${path} can't be used: ${why}. Name a folder that this user can make and write.`,
      { cause },
    );
  }
}

/** A warning if other users of this machine can reach the folder; undefined if not. */
export async function findExposure(variable: Variable, path: string): Promise<string | undefined> {
  const mode = (await stat(path)).mode & 0o777;
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return undefined;
  return `Other users of this machine can reach ${variable}, which holds ${HOLDS[variable]}: its mode is ${mode.toString(8)}. Run: chmod 700 ${path}`;
}

/**
 * Makes a folder that only its owner may enter, and those around it, unless it is there.
 * `recursive` of `mkdir` never ends in a folder that takes no entries, such as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if (!isMissing(error) || (await isFolder(parent))) throw error;
    await makeFolder(parent);
    await mkdir(path, { mode: 0o700 });
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
