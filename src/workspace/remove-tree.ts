import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { isMissing } from '../kernel/disk/missing-path.js';
import type { Folder } from './folder.js';

/** Number of names per read. */
const BATCH = 1000;
/** Maximum number of open folders; a deeper folder is first moved to the top. */
const MAX_DEPTH = 32;

/**
 * Empties a folder. A symbolic link is removed, not followed. Concurrent removals of the same
 * folder are safe.
 * @param deadline time to give up, by `performance.now()`
 * @throws Error after the deadline, or if the system denies the removal
 */
export async function removeTree(top: Folder, deadline: number): Promise<void> {
  await empty(top, { top, deadline, depth: 0 });
}

interface Removal {
  readonly top: Folder;
  readonly deadline: number;
  readonly depth: number;
}

/** An entry that can't be removed does not prevent the removal of the others. */
async function empty(folder: Folder, removal: Removal): Promise<void> {
  for (;;) {
    const entries = await folder.list(BATCH);
    if (entries.length === 0) return;
    const faults: unknown[] = [];
    for (const entry of entries) {
      if (performance.now() > removal.deadline) throw new Error('removing it takes too long');
      await removeEntry(folder, entry, removal).catch((error) => faults.push(error));
    }
    if (faults.length === entries.length) throw faults[0];
  }
}

async function removeEntry(folder: Folder, entry: Dirent, removal: Removal): Promise<void> {
  try {
    if (!entry.isDirectory()) await folder.remove(entry.name);
    else if (removal.depth >= MAX_DEPTH)
      await folder.moveInto(removal.top, entry.name, randomUUID());
    else await removeFolder(folder, entry.name, removal);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function removeFolder(parent: Folder, name: string, removal: Removal): Promise<void> {
  const folder = await parent.openFolder(name);
  try {
    await folder.unlock();
    await empty(folder, { ...removal, depth: removal.depth + 1 });
  } finally {
    await folder.close();
  }
  await parent.removeFolder(name);
}
