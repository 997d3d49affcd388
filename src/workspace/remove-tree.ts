import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import type { Folder } from './folder.js';

/** Names that are read at once. */
const BATCH = 1000;
/** Folders that are open at once; what is deeper is taken to the top first. */
const MAX_DEPTH = 32;

/**
 * Empties a folder. A link is removed, not followed, and somebody else may remove the same at the same time.
 * @param deadline when to give up, by `performance.now()`
 * @throws Error when it is too late, or the system doesn't let us
 */
export async function removeTree(top: Folder, deadline: number): Promise<void> {
  await empty(top, { top, deadline, depth: 0 });
}

interface Removal {
  readonly top: Folder;
  readonly deadline: number;
  readonly depth: number;
}

/** What can't be removed keeps nothing else from it. */
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
    unlessGone(error as NodeJS.ErrnoException);
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

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
