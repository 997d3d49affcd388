import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRow } from '../../persistence/rows/store-rows.js';
import { catchUp } from './catch-up.js';
import type { ChatDirectory } from './chat-directory.js';
import { LOG_SUFFIX } from './chat-directory.js';
import type { ChatFile } from './chat-file.js';
import { readChatFile, writeChatFile } from './chat-file.js';
import { TEMPORARY_SUFFIX } from './durable-files.js';
import { finishWrites } from './finish-writes.js';
import type { InteractionLog } from './interaction-log.js';
import { loadLog } from './load-log.js';
import { loadRequests } from './load-requests.js';
import { newChatRow } from './new-chat-row.js';
import { isProjected, writeProjection } from './projection.js';
import type { ReportProblem } from './report-problem.js';
import { StoredChat } from './stored-chat.js';

/**
 * Takes up one chat as the last process left it. The logs are the truth: a start whose chat.json was not written any more counts, one
 * whose log was not written whole never was. Undefined if the folder holds no chat.
 */
export async function loadChat(
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<StoredChat | undefined> {
  const logs = await loadLogs(directory, report);
  const saved = await readSaved(directory, report);
  const row = saved ? toRow(saved) : await rebuildRow(logs[0]);
  if (!row) return undefined;
  const chat = new StoredChat(directory, row);
  for (const log of logs) chat.add(log);
  const caughtUp = await catchUp(chat, saved);
  const finished = await finishWrites(chat);
  if (caughtUp || finished) await writeChatFile(chat);
  await loadRequests(chat);
  await projectStale(chat);
  return chat;
}

/** In the order in which they were asked for. */
async function loadLogs(
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<InteractionLog[]> {
  const logs: InteractionLog[] = [];
  for (const name of await listNames(directory.interactions)) {
    if (name.endsWith(TEMPORARY_SUFFIX)) await rm(join(directory.interactions, name));
    if (!name.endsWith(LOG_SUFFIX)) continue;
    const log = await loadLog(directory, name.slice(0, -LOG_SUFFIX.length), report);
    if (log) logs.push(log);
  }
  return logs.sort((a, b) => a.known.ordinal - b.known.ordinal);
}

async function readSaved(
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<ChatFile | undefined> {
  await rm(`${directory.chatFile}${TEMPORARY_SUFFIX}`, { force: true });
  const saved = await readChatFile(directory);
  if (saved !== 'damaged') return saved;
  const aside = `${directory.chatFile}.damaged`;
  await rename(directory.chatFile, aside);
  const message = `It was damaged and is made anew; the old one is ${aside}.`;
  report({ path: directory.chatFile, message });
  return undefined;
}

function toRow({ turns: _turns, superseded: _superseded, ...row }: ChatFile): ChatRow {
  return row;
}

/** From the start that created the chat, or what is known of it without. */
async function rebuildRow(first: InteractionLog | undefined): Promise<ChatRow | undefined> {
  if (!first) return undefined;
  const { chat, chat_id, created_at } = (await first.readHead()).start;
  const created = chat ?? { id: chat_id, title: null, agent: null, created_at, metadata: {} };
  return newChatRow(created);
}

async function projectStale({ directory, logs }: StoredChat): Promise<void> {
  for (const log of logs) if (!isProjected(directory, log)) await writeProjection(directory, log);
}

async function listNames(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
