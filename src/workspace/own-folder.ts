import { randomUUID } from 'node:crypto';
import { Folder } from './folder.js';
import { removeTree } from './remove-tree.js';

/** Folder for bookkeeping, next to the folders of chats, whose names never begin with a dot. */
const METADATA_FOLDER = '.parley';
/** Contains the folders that are being removed. */
const TRASH_FOLDER = 'going';
/** Timeout of a removal, in milliseconds. */
const MAX_MS = 10_000;

/**
 * Opens the folder of a chat in `base`; makes it if it is missing. It is never a symbolic link.
 * @param name the uid of the chat
 */
export async function openOwnFolder(base: Folder, name: string): Promise<Folder> {
  if (!(await base.find(name))) await base.makeFolder(name);
  return base.openAsRoot(name);
}

/**
 * Removes the folder of a chat, if there is one. The folder is moved away at once. Then its content
 * is removed, without following symbolic links, together with the remains of earlier removals.
 */
export async function discardOwnFolder(basePath: string, name: string): Promise<void> {
  const base = await Folder.openRoot(basePath);
  try {
    await inTrash(base, async (trash) => {
      if (await base.find(name)) await base.moveInto(trash, name, randomUUID());
      await removeTree(trash, performance.now() + MAX_MS);
    });
  } finally {
    await base.close();
  }
}

async function inTrash(base: Folder, work: (folder: Folder) => Promise<void>): Promise<void> {
  await base.makeFolder(METADATA_FOLDER);
  const metadata = await base.openFolder(METADATA_FOLDER);
  try {
    await metadata.makeFolder(TRASH_FOLDER);
    const folder = await metadata.openFolder(TRASH_FOLDER);
    await work(folder).finally(() => folder.close());
  } finally {
    await metadata.close();
  }
}
