import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnedRule } from '../../permissions/rules/permission-rule.js';
import type { KeptFile } from '../memory/memory-file-catalog.js';
import type { StoreIndex } from '../memory/core/store-index.js';
import type { SavedTexts, SealRow } from '../saved-texts.js';
import { LOG_SUFFIX } from './log/chat-directory.js';
import type { ChatDirectory } from './log/chat-directory.js';
import { readChatFile, writeChatFile } from './chats/chat-files.js';
import { replaceDurably, syncDirectory } from './durable-files.js';
import { FileRows } from './file-rows.js';
import { readJson, replaceJson } from './json-files.js';
import { directoryOf } from './chats/file-journal.js';
import { RULES_FILE } from './file-rule-store.js';
import { sealLog } from './log/seal-log.js';
import type { SealOwn } from './log/seal-log.js';
import type { Task } from '../../protocol/wire/task.js';

export interface FileSavedTextsOptions {
  readonly data_dir: string;
  readonly index: StoreIndex;
  /** Resolves once all changes are on the disk. */
  readonly settled: () => Promise<void>;
}

/**
 * The texts in files. Each file is replaced as a whole; the open store does not know of it and must
 * be closed, unused, afterwards. Copies for people are removed: the next start writes them anew.
 */
export class FileSavedTexts implements SavedTexts {
  constructor(private readonly options: FileSavedTextsOptions) {}

  async sealAll(seal: SealRow): Promise<number> {
    const { index, data_dir, settled } = this.options;
    const chats = [...index.chats];
    // gives each chat its key, which is saved in its file
    for (const { uid } of chats) await seal('chats', { chat_uid: uid }, {});
    await settled();
    let replaced = await this.sealRules(join(data_dir, RULES_FILE), seal);
    replaced += await sealFileRows(new FileRows<KeptFile>(data_dir, 'file-rows'), seal);
    for (const chat of chats) replaced += await sealFolder(directoryOf(chat), chat.uid, seal);
    return replaced;
  }

  private async sealRules(path: string, seal: SealRow): Promise<number> {
    const file = await readJson<{ rules: readonly OwnedRule[] }>(path, { rules: [] });
    const sealed = await Promise.all(
      file.rules.map(async (rule) => {
        const { chat_uid, tenant_id } = rule;
        const owner = chat_uid === null ? { tenant_id } : { chat_uid };
        return { ...rule, ...(await seal('permission_rules', owner, rule)) };
      }),
    );
    return replaceIfChanged(path, file, { ...file, rules: sealed });
  }
}

async function sealFileRows(rows: FileRows<KeptFile>, seal: SealRow): Promise<number> {
  let replaced = 0;
  for (const row of await rows.load(() => {})) {
    const { chat_uid, tenant_id } = row;
    const sealed = await seal('files', chat_uid === null ? { tenant_id } : { chat_uid }, row);
    if (!sealed || sealed.filename === row.filename) continue;
    await rows.save({ ...row, ...sealed });
    replaced += 1;
  }
  return replaced;
}

async function sealFolder(directory: ChatDirectory, uid: string, seal: SealRow): Promise<number> {
  const sealRow: SealOwn = async (kind, row) => {
    return { ...row, ...(await seal(kind, { chat_uid: uid }, row)) };
  };
  const chat = await readChatFile(directory);
  if (chat === 'damaged' || !chat?.data_key) return 0;
  let replaced = 0;
  for (const name of await readdir(directory.interactions)) {
    if (!name.endsWith(LOG_SUFFIX)) continue;
    const id = name.slice(0, -LOG_SUFFIX.length);
    const path = directory.logFile(id);
    const log = await readFile(path);
    const sealed = await sealLog(id, log, { sealRow, data_key: chat.data_key });
    if (!sealed.equals(log)) {
      await replaceDurably(path, sealed);
      replaced += 1;
    }
    // Also of a log that was replaced before: a kill may have left its copy.
    await rm(directory.projectionFile(id), { force: true });
  }
  await rm(directory.requestsFile, { force: true });
  const board = await readJson<{ tasks: readonly Task[] }>(directory.tasksFile, { tasks: [] });
  const tasks = await Promise.all(board.tasks.map((task) => sealRow('tasks', task)));
  replaced += await replaceIfChanged(directory.tasksFile, board, { tasks });
  const sealed = await sealRow('chats', chat);
  if (JSON.stringify(sealed) !== JSON.stringify(chat)) {
    await writeChatFile(directory, sealed);
    replaced += 1;
  }
  await syncDirectory(directory.interactions);
  await syncDirectory(directory.path);
  return replaced;
}

async function replaceIfChanged(path: string, before: object, after: object): Promise<number> {
  if (JSON.stringify(before) === JSON.stringify(after)) return 0;
  await replaceJson(path, after);
  return 1;
}
