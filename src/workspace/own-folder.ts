import { randomUUID } from 'node:crypto';
import { Folder } from './folder.js';
import { removeTree } from './remove-tree.js';

/** Folder for bookkeeping, next to the folders of chats, whose names never begin with a dot. */
const BOOKS = '.parley';
/**
 * Contains a folder for each folder that was made for a chat, and in it one that has the uid of the
 * chat as its name. A folder that existed before must not be removed.
 */
const MADE = 'made';
/** Contains the folders that are being removed. */
const GOING = 'going';
/** Chats whose removal was interrupted. */
const MAX_FORMER = 10;
/** Timeout of a removal, in milliseconds. */
const MAX_MS = 10_000;

/** The folder of a chat: its name in the parent, and the uid of the chat. */
export interface OwnFolder {
  readonly name: string;
  readonly uid: string;
}

/**
 * Opens the folder of a chat in `base`; makes it if it is missing. It is never a symbolic link. One
 * that was made for a deleted chat of the same name is moved away first.
 */
export async function openOwnFolder(base: Folder, { name, uid }: OwnFolder): Promise<Folder> {
  if (await base.find(name))
    await inBooks(base, MADE, async (made) => {
      const owner = await ownerOf(made, name);
      if (owner !== undefined && owner !== uid) await takeAway(base, made, { name, uid: owner });
    });
  if (!(await base.find(name))) {
    await inBooks(base, MADE, (made) => note(made, { name, uid })); // first, in case of a crash
    await base.makeFolder(name);
  }
  return base.openAsRoot(name);
}

/**
 * Removes the folder that was made for a chat, if there is one. The folder is moved away at once.
 * Then its content is removed, without following symbolic links, together with the remains of
 * earlier removals.
 */
export async function discardOwnFolder(basePath: string, own: OwnFolder): Promise<void> {
  const base = await Folder.openRoot(basePath);
  try {
    await inBooks(base, MADE, async (made) => {
      if ((await ownerOf(made, own.name)) === own.uid) await takeAway(base, made, own);
    });
    await inBooks(base, GOING, (going) => removeTree(going, performance.now() + MAX_MS));
  } finally {
    await base.close();
  }
}

/** The uid of the chat that the folder was made for; undefined if it was made for none. */
async function ownerOf(made: Folder, name: string): Promise<string | undefined> {
  if (!(await made.find(name))) return undefined;
  const noted = await made.openFolder(name);
  try {
    return (await noted.list(1))[0]?.name;
  } finally {
    await noted.close();
  }
}

async function note(made: Folder, { name, uid }: OwnFolder): Promise<void> {
  await made.makeFolder(name);
  const noted = await made.openFolder(name);
  try {
    for (const former of await noted.list(MAX_FORMER)) await noted.removeFolder(former.name);
    await noted.makeFolder(uid);
  } finally {
    await noted.close();
  }
}

async function takeAway(base: Folder, made: Folder, { name, uid }: OwnFolder): Promise<void> {
  await inBooks(base, GOING, (going) => moveAway(base, going, name));
  const noted = await made.openFolder(name);
  try {
    await noted.removeFolder(uid);
  } finally {
    await noted.close();
  }
  await made.removeFolder(name);
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
