import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer than any deletion of a chat takes, in milliseconds. */
const OVERDUE_MS = 600_000;

/**
 * Names the chats whose folders are to be removed, one empty file each, so that a process that is
 * killed between the deletion of a chat and the removal of its folder leaves a trace of it.
 */
export class DiscardNotes {
  constructor(private readonly path: string) {}

  async add(chatUid: string): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await writeFile(join(this.path, chatUid), '', { mode: 0o600 });
  }

  async remove(chatUid: string): Promise<void> {
    await rm(join(this.path, chatUid), { force: true });
  }

  /** Chats whose deletion has been over for long, whatever its outcome. */
  async listOverdue(): Promise<string[]> {
    const names = await readdir(this.path).catch(() => []);
    const overdue: string[] = [];
    for (const name of names) {
      const note = await stat(join(this.path, name)).catch(() => undefined); // removed meanwhile
      if (note && Date.now() - note.mtimeMs > OVERDUE_MS) overdue.push(name);
    }
    return overdue;
  }
}
