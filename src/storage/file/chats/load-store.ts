import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mapInBatches } from '../../../kernel/async/batches.js';
import { ifMissing } from '../../../kernel/disk/missing-path.js';
import type { StoreCore } from '../../memory/core/store-core.js';
import type { StoredChat } from '../../memory/core/stored-chat.js';
import { ChatDirectory } from '../log/chat-directory.js';
import type { FileJournal } from './file-journal.js';
import { directoryOf, isLeftOver } from './file-journal.js';
import { finishWrites, loadChat } from './load-chat.js';
import type { ReportProblem } from '../report-problem.js';
import { describeError } from '../report-problem.js';

/**
 * Number of chats read concurrently: the disk supports parallel reads, and file descriptors are
 * limited.
 */
const CONCURRENCY = 16;

export interface LoadOptions {
  readonly root: string;
  readonly core: StoreCore;
  readonly journal: FileJournal;
  readonly report: ReportProblem;
}

/** Loads `root` as the last process left it, and completes the changes that were in progress. */
export async function loadStore(options: LoadOptions): Promise<void> {
  const { root, core } = options;
  await mkdir(root, { recursive: true });
  const entries = await readdir(root, { withFileTypes: true });
  const chats = await mapInBatches(entries, CONCURRENCY, (entry) => loadEntry(options, entry));
  for (const chat of chats) if (chat) add(options, chat);
  for (const chat of core.index.busyChats) await finishWrites(core, chat);
}

async function loadEntry(
  { root, journal, report }: LoadOptions,
  entry: { name: string; isDirectory(): boolean },
): Promise<StoredChat | undefined> {
  const path = join(root, entry.name);
  if (isLeftOver(entry.name)) await rm(path, { recursive: true, force: true });
  if (isLeftOver(entry.name) || !entry.isDirectory()) return undefined;
  const directory = new ChatDirectory(path);
  try {
    const chat = await loadChat(journal, directory, report);
    if (!chat) await discard(directory, report);
    return chat;
  } catch (error) {
    report({ path, message: `It is left out: it can’t be read. ${describeError(error)}` });
    return undefined;
  }
}

function add({ core, report }: LoadOptions, chat: StoredChat): void {
  const { index } = core;
  if (!index.findChat(chat.uid) && !index.findChatByKey(chat.key)) return index.addChat(chat);
  const message = `It is left out: another folder holds the chat ${chat.row.id} already.`;
  report({ path: directoryOf(chat).path, message });
}

/** A folder with other files in it does not belong to the store and is not removed. */
async function discard(
  { path, interactions }: ChatDirectory,
  report: ReportProblem,
): Promise<void> {
  try {
    await rmdir(interactions).catch(ifMissing(undefined));
    await rmdir(path);
    report({ path, message: 'It is removed: the process stopped before it had created the chat.' });
  } catch (error) {
    report({ path, message: `It is left alone: it holds no chat. ${describeError(error)}` });
  }
}
