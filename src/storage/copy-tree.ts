import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../kernel/disk/missing-path.js';

/**
 * Copies the files of a folder, without copying bytes where the file system can share them. Files
 * that are removed meanwhile are left out, and so are those whose names end with one of `without`.
 */
export async function copyTree(
  from: string,
  to: string,
  without: readonly string[] = [],
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target, without);
    else if (entry.isFile() && !without.some((end) => entry.name.endsWith(end)))
      await copyIfThere(source, target);
  }
}

export async function copyIfThere(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE).catch(ifMissing(undefined));
}
