import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ChatDirectory, INCOMING_PREFIX, TRASH_PREFIX } from './chat-directory.js';
import { loadChat } from './load-chat.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';
import { StoreIndex } from './store-index.js';

/** Takes up `chats/` as the last process left it, and finishes what that was in the middle of. */
export async function loadStore(root: string, report: ReportProblem): Promise<StoreIndex> {
  await mkdir(root, { recursive: true });
  const index = new StoreIndex();
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (isLeftOver(entry.name)) await rm(path, { recursive: true, force: true });
    else if (entry.isDirectory()) await addChat(index, new ChatDirectory(path), report);
  }
  return index;
}

/** What a process was deleting or bringing in when it stopped. */
function isLeftOver(name: string): boolean {
  return name.startsWith(TRASH_PREFIX) || name.startsWith(INCOMING_PREFIX);
}

async function addChat(
  index: StoreIndex,
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<void> {
  const chat = await loadOrReport(directory, report);
  if (chat === 'unreadable') return;
  if (!chat) return discard(directory, report);
  if (!index.findChat(chat.row.id)) return index.addChat(chat);
  const message = `It is left out: another folder holds the chat ${chat.row.id} already.`;
  report({ path: directory.path, message });
}

async function loadOrReport(directory: ChatDirectory, report: ReportProblem) {
  try {
    return await loadChat(directory, report);
  } catch (error) {
    const message = `It is left out: it can’t be read. ${describeError(error)}`;
    report({ path: directory.path, message });
    return 'unreadable';
  }
}

/** What the creation of a chat left that was cut short; a folder with anything else in it is not ours to remove. */
async function discard(
  { path, interactions }: ChatDirectory,
  report: ReportProblem,
): Promise<void> {
  try {
    await rmdir(interactions).catch(ignoreMissing);
    await rmdir(path);
    report({ path, message: 'It is removed: the process stopped before it had created the chat.' });
  } catch (error) {
    report({ path, message: `It is left alone: it holds no chat. ${describeError(error)}` });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
