import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../kernel/app-error.js';
import { onDisk } from '../durable-files.js';

const FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;
export const LOG_SUFFIX = '.events.jsonl';

/**
 * The paths of one chat: `chat.json`, `requests.json`, `tasks.json` and `interactions/` in
 * `chats/<uid>/`.
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

/** Creates the folder of a chat, which is named after its uid, and returns its path. */
export async function makeChatDirectory(root: string, uid: string): Promise<string> {
  const directory = new ChatDirectory(chatPath(root, uid));
  await onDisk(mkdir(directory.path));
  await onDisk(mkdir(directory.interactions));
  return directory.path;
}

export function chatPath(root: string, uid: string): string {
  return join(root, checkName(uid));
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
