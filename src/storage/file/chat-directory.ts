import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/app-error.js';
import { onDisk } from './durable-files.js';

const FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;
export const LOG_SUFFIX = '.events.jsonl';

/**
 * The paths of one chat: `chat.json`, `requests.json`, `tasks.json` and `interactions/` in
 * `chats/<chat_id>/`.
 */
export class ChatDirectory {
  /** @param path changes when the folder is renamed */
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
 * Creates the folder of a chat and returns its path. The folder is named after the chat, but its
 * files determine which chat it holds: on a case-insensitive file system, where `Sums` and `sums`
 * are the same, the second one's folder is `sums.2`.
 */
export async function makeChatDirectory(root: string, chatId: string): Promise<string> {
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
    return directory.path;
  }
}

/** Ids become file names, so only these characters may reach the file system. */
function checkName(id: string): string {
  if (FILE_NAME.test(id)) return id;
  throw new AppError(
    'invalid',
    'invalid_id',
    'The id can’t name a file. Use 1 to 64 letters, digits, hyphens and underscores.',
  );
}
