import { rm } from 'node:fs/promises';
import { TEMPORARY_SUFFIX } from './durable-files.js';
import { collectRequests, readRequestsFile, writeRequestsFile } from './requests-file.js';
import type { StoredChat } from './stored-chat.js';

/** Tells each log of a chat which requests it has; a requests.json that is behind the logs, or damaged, is made anew. */
export async function loadRequests(chat: StoredChat): Promise<void> {
  await rm(`${chat.directory.requestsFile}${TEMPORARY_SUFFIX}`, { force: true });
  const asking = chat.logs.filter((log) => log.state.request_changes > 0);
  if (asking.length === 0) return;
  let file = await readRequestsFile(chat.directory);
  if (asking.some((log) => file[log.id]?.changes !== log.state.request_changes)) {
    file = await collectRequests(chat);
    await writeRequestsFile(chat.directory, file);
  }
  for (const log of asking) log.requests.load(file[log.id]?.requests ?? [], log.hasEnded);
}
