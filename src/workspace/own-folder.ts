import { randomUUID } from 'node:crypto';
import { Folder } from './folder.js';
import { removeTree } from './remove-tree.js';

/** Folder for bookkeeping, next to the folders of chats, whose names never begin with a dot. */
const BOOKS = '.parley';
/**
 * Contains an empty folder for each folder that was made for a chat. A folder that existed before
 * must not be removed.
 */
const MADE = 'made';
/** Contains the folders that are being removed. */
const GOING = 'going';
/** Timeout of a removal, in milliseconds. */
const MAX_MS = 10_000;

/** Opens the folder of a chat in `base`; makes it if it is missing. It is never a symbolic link. */
export async function openOwnFolder(base: Folder, name: string): Promise<Folder> {
  if (await base.makeFolder(name))
    await inBooks(base, MADE, async (made) => void (await made.makeFolder(name)));
  return base.openAsRoot(name);
}

/**
 * Removes the folder that was made for a chat, if there is one. The folder is moved away at once.
 * Then its content is removed, without following symbolic links, together with the remains of
 * earlier removals.
 */
export async function discardOwnFolder(basePath: string, name: string): Promise<void> {
  const base = await Folder.openRoot(basePath);
  try {
    await inBooks(base, MADE, async (made) => {
      if (!(await made.find(name))) return;
      await inBooks(base, GOING, (going) => moveAway(base, going, name));
      await made.removeFolder(name);
    });
    await inBooks(base, GOING, (going) => removeTree(going, performance.now() + MAX_MS));
  } finally {
    await base.close();
  }
}

async function moveAway(base: Folder, going: Folder, name: string): Promise<void> {
  if (await base.find(name)) await base.moveInto(going, name, randomUUID());
}

async function inBooks(
  base: Folder,
  name: string,
  work: (folder: Folder) => Promise<void>,
): Promise<void> {
  await base.makeFolder(BOOKS);
  const books = await base.openFolder(BOOKS);
  try {
    await books.makeFolder(name);
    const folder = await books.openFolder(name);
    await work(folder).finally(() => folder.close());
  } finally {
    await books.close();
  }
}
