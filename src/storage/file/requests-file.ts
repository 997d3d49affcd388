import { readFile } from 'node:fs/promises';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { ChatDirectory } from './chat-directory.js';
import { replaceFile } from './durable-files.js';
import type { InteractionLog } from './interaction-log.js';

/** requests.json: every request of a chat as people want to read it, by interaction. It is made from the logs; see `SavedRequests.changes`. */
export type RequestsFile = Readonly<Record<string, SavedRequests>>;

export interface SavedRequests {
  /** `request_changes` of the log that this was made from: with any other it is not up to date. */
  readonly changes: number;
  readonly requests: readonly RequestRow[];
}

interface ChatWithRequests {
  readonly directory: ChatDirectory;
  readonly logs: readonly InteractionLog[];
}

/** Everything that the logs say now; only those are read that the file is behind of. */
export async function collectRequests(chat: ChatWithRequests): Promise<RequestsFile> {
  const saved = await readRequestsFile(chat.directory);
  const asking = chat.logs.filter((log) => log.state.request_changes > 0);
  const entries: [string, SavedRequests][] = [];
  for (const log of asking) entries.push([log.id, await bringUpToDate(log, saved[log.id])]);
  return Object.fromEntries(entries);
}

export async function writeRequestsFile(
  { requestsFile }: ChatDirectory,
  file: RequestsFile,
): Promise<void> {
  await replaceFile(requestsFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** One that is missing or damaged knows of nothing. */
export async function readRequestsFile({ requestsFile }: ChatDirectory): Promise<RequestsFile> {
  try {
    const file: unknown = JSON.parse(await readFile(requestsFile, 'utf8'));
    return typeof file === 'object' && file !== null ? (file as RequestsFile) : {};
  } catch {
    return {};
  }
}

async function bringUpToDate(
  log: InteractionLog,
  saved: SavedRequests | undefined,
): Promise<SavedRequests> {
  const changes = log.state.request_changes;
  if (saved?.changes === changes) return saved;
  return { changes, requests: await log.readRequests() };
}
