import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyIfThere, copyTree } from '../copy-tree.js';
import type { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import type { StoreIndex } from '../memory/core/store-index.js';
import { directoryOf } from './chats/file-journal.js';
import { TEMPORARY_SUFFIX } from './durable-files.js';

/**
 * The folders and files of the file store in `DATA_DIR`, in the order of a copy of a store in use.
 * In this order a copy is consistent: a row without its chat, or a webhook without its frame, is
 * dropped when the copy is opened, and keys come after the data that they encrypt.
 */
export const STORE_FOLDERS = ['chats', 'file-rows', 'webhooks', 'deleted-usage'];
export const STORE_FILES = [
  'permission-rules.json',
  'api-keys.json',
  'audit.jsonl',
  'file-folder',
  'tenant-keys.json',
];

export interface SnapshotSource {
  readonly data_dir: string;
  readonly index: StoreIndex;
  readonly mutex: KeyedMutex;
}

/** Copies an open store into a folder: each chat between two of its writes. */
export async function copyStore(
  { data_dir, index, mutex }: SnapshotSource,
  to: string,
): Promise<void> {
  for (const name of STORE_FOLDERS) await mkdir(join(to, name), { recursive: true, mode: 0o700 });
  for (const chat of index.chats)
    await mutex.run(chat.key, async () => {
      if (index.findChat(chat.uid) === chat)
        await copyTree(directoryOf(chat).path, join(to, 'chats', chat.uid), [TEMPORARY_SUFFIX]);
    });
  for (const name of STORE_FOLDERS.slice(1))
    if (existsSync(join(data_dir, name)))
      await copyTree(join(data_dir, name), join(to, name), [TEMPORARY_SUFFIX]);
  for (const name of STORE_FILES) await copyIfThere(join(data_dir, name), join(to, name));
}
