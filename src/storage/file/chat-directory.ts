import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/app-error.js';
import { onDisk } from './disk-fault.js';
import { syncDirectory } from './durable-files.js';

const FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;
/** No chat's id has a dot. */
export const TRASH_PREFIX = '.deleted-';
/** A chat that is being brought in. */
export const INCOMING_PREFIX = '.incoming-';
export const LOG_SUFFIX = '.events.jsonl';

/** Where one chat's files are: `chat.json`, `requests.json`, `tasks.json` and `interactions/` in `chats/<chat_id>/`. */
export class ChatDirectory {
  /** @param path changes when a folder that was filled elsewhere gets its place */
  constructor(public path: string) {}

  get chatFile(): string {
    return join(this.path, 'chat.json');
  }

  get requestsFile(): string {
    return join(this.path, 'requests.json');
  }

  get tasksFile(): string {
    return join(this.path, 'tasks.json');
  }

  get interactions(): string {
    return join(this.path, 'interactions');
  }

  logFile(interactionId: string): string {
    return join(this.interactions, `${checkName(interactionId)}${LOG_SUFFIX}`);
  }

  projectionFile(interactionId: string): string {
    return join(this.interactions, `${checkName(interactionId)}.json`);
  }
}

/**
 * Makes the folder of a new chat. It is named like the chat, but which chat it holds is what its files say: on a file system that doesn't
 * tell `Sums` from `sums`, the second one's folder is `sums.2`.
 */
export async function makeChatDirectory(root: string, chatId: string): Promise<ChatDirectory> {
  const name = checkName(chatId);
  for (let copy = 1; ; copy++) {
    const directory = new ChatDirectory(join(root, copy === 1 ? name : `${name}.${copy}`));
    try {
      await onDisk(mkdir(directory.path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    await onDisk(mkdir(directory.interactions));
    return directory;
  }
}

/**
 * The rename is what deletes: `onDeleted` is called after it, whatever becomes of the rest, which a start after a crash clears away.
 */
export async function deleteChatDirectory(
  root: string,
  directory: ChatDirectory,
  onDeleted: () => void,
): Promise<void> {
  const trash = join(root, `${TRASH_PREFIX}${randomUUID()}`);
  await rename(directory.path, trash);
  onDeleted();
  await syncDirectory(root);
  await rm(trash, { recursive: true, force: true });
}

/** Ids become file names: nothing but these characters may leave for the disk. */
function checkName(id: string): string {
  if (FILE_NAME.test(id)) return id;
  throw new AppError(
    'invalid',
    'invalid_id',
    'The id can’t name a file. Use 1 to 64 letters, digits, hyphens and underscores.',
  );
}
