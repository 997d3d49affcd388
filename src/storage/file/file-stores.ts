import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { MemoryFileCatalog } from '../memory/memory-file-catalog.js';
import type { KeptFile } from '../memory/memory-file-catalog.js';
import { storesOver } from '../memory/memory-stores.js';
import { MemoryTicketStore } from '../memory/memory-ticket-store.js';
import type { KeptWebhook } from '../memory/memory-webhook-outbox.js';
import type { KeptUsage } from '../memory/core/deleted-usage.js';
import { StoreCore } from '../memory/core/store-core.js';
import { StoreIndex } from '../memory/core/store-index.js';
import type { AllStores } from '../stores.js';
import type { TableRows } from '../table-rows.js';
import { FileAuditStore } from './file-audit-store.js';
import { FileFolderNote } from './file-folder-note.js';
import { FileJournal } from './chats/file-journal.js';
import { FileKeyStore } from './file-key-store.js';
import { FileRows } from './file-rows.js';
import { FileRuleStore } from './file-rule-store.js';
import { FileSavedTexts } from './file-saved-texts.js';
import { FileTaskStore } from './file-task-store.js';
import { FileTenantKeys } from './file-tenant-keys.js';
import { loadStore } from './chats/load-store.js';
import { Projections } from './chats/projections.js';
import { readRows } from './read-rows.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';
import { copyStore } from './snapshot.js';
import { WriteBehind } from './chats/write-behind.js';

export interface FileStoreOptions {
  /** `DATA_DIR`. */
  readonly data_dir: string;
  readonly clock: Clock;
  readonly report: ReportProblem;
}

export interface FileStores extends AllStores {
  /** Resolves once everything is on the disk. The stores must not be used afterwards. */
  close(): Promise<void>;
  /** Copies all that is saved into a folder, as of one point in time for each chat. */
  copyTo(path: string): Promise<void>;
  /** All that is saved, as rows of the tables of a database. */
  readRows(): AsyncIterable<TableRows>;
}

/**
 * Opens `data_dir`: the memory store with its logs on the disk, in human-readable files. Appends
 * that were interrupted by a kill are completed or dropped as a whole, and reported. For a single
 * process; the caller ensures that no other process uses the directory.
 */
export async function openFileStores({
  data_dir,
  clock,
  report,
}: FileStoreOptions): Promise<FileStores> {
  const root = join(data_dir, 'chats');
  const index = new StoreIndex();
  const mutex = new KeyedMutex();
  const behind = new WriteBehind((error) =>
    report({ path: root, message: `A file could not be updated. ${describeError(error)}` }),
  );
  const projections = new Projections(index, mutex, behind);
  const journal = new FileJournal({ root, projections, report });
  const webhooks = new FileRows<KeptWebhook>(data_dir, 'webhooks');
  const audit = await FileAuditStore.open(data_dir, report);
  const deletedUsage = new FileRows<KeptUsage>(data_dir, 'deleted-usage');
  const core = new StoreCore({
    ...{ journal, clock, index, mutex, webhooks, deletedUsage },
    audit: (entry) => audit.addOrReport(entry),
  });
  await loadStore({ root, core, journal, report });
  core.deletedUsage.load(await deletedUsage.load(report));
  await core.webhooks.load(await webhooks.load(report));
  const rows = new FileRows<KeptFile>(data_dir, 'file-rows');
  const files = new MemoryFileCatalog({
    ...{ chats: index, journal: rows, rows: await rows.load(report) },
    isDeleted: (uid) => !existsSync(join(root, uid)),
    folder: await FileFolderNote.open(data_dir),
  });
  await adoptFiles(index, files);
  const tasks = await FileTaskStore.open(index, report);
  const rules = await FileRuleStore.open({ data_dir, findChat: (uid) => index.findChat(uid)?.row });
  const keys = await FileKeyStore.open(data_dir);
  const settled = async (): Promise<void> => {
    await mutex.idle();
    await behind.flush();
  };
  return {
    ...storesOver(core, files, await FileTenantKeys.open(data_dir)),
    tasks,
    rules,
    keys,
    tickets: new MemoryTicketStore(),
    audit,
    saved: new FileSavedTexts({ data_dir, index, settled }),
    readRows: () => readRows({ data_dir, index, tasks }),
    copyTo: (path) => copyStore({ data_dir, index, mutex }, path),
    async close() {
      await tasks.close();
      await settled();
      await rules.close();
      await keys.close();
      await audit.close();
    },
  };
}

/** Completes starts after which the process was killed before it had saved their files. */
async function adoptFiles(index: StoreIndex, files: MemoryFileCatalog): Promise<void> {
  for (const { interactions } of index.chats)
    for (const { known } of interactions) {
      const { adopts = [], tenant_id, started_by: owner, chat_uid, chat_id } = known;
      const named = adopts.map((id) => ({ id }));
      await files.adopt(named, { tenant_id, owner, chat_uid, chat_id });
    }
}
