import { SystemClock } from '../../kernel/clock.js';
import type { Clock } from '../../kernel/clock.js';
import type { DataKeyStore } from '../../encryption/data-key-store.js';
import type { Stores } from '../../persistence/stores.js';
import type { UsageStore } from '../../quotas/usage-store.js';
import type { FileCatalog } from '../../files/file-catalog.js';
import type { WebhookOutbox } from '../../webhooks/webhook-outbox.js';
import { MemoryChatArchive } from './memory-chat-archive.js';
import { MemoryChatStore } from './memory-chat-store.js';
import { MemoryDataKeyStore, TenantKeys } from './memory-data-key-store.js';
import { MemoryFileCatalog } from './memory-file-catalog.js';
import { MemoryInteractionStore } from './memory-interaction-store.js';
import { MemoryInterventionStore } from './memory-intervention-store.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryLeaseStore } from './memory-lease-store.js';
import { MemoryRecordStore } from './memory-record-store.js';
import { MemoryRequestStore } from './memory-request-store.js';
import { MemoryUsageStore } from './memory-usage-store.js';
import { StoreCore } from './core/store-core.js';

export interface MemoryStores extends Stores {
  readonly usage: UsageStore;
  readonly dataKeys: DataKeyStore;
  readonly files: FileCatalog;
  readonly webhooks: WebhookOutbox;
}

/** All stores in memory: for tests, and for a process without persistence. */
export function openMemoryStores(clock: Clock = new SystemClock()): MemoryStores {
  return storesOver(new StoreCore({ journal: new MemoryJournal(), clock }));
}

export function storesOver(
  core: StoreCore,
  files = new MemoryFileCatalog({ chats: core.index }),
  tenantKeys = new TenantKeys(),
): MemoryStores {
  core.adoptFiles = (adopted, { started_by: owner, ...chat }) =>
    files.adopt(adopted, { ...chat, owner });
  return {
    chats: new MemoryChatStore(core),
    interactions: new MemoryInteractionStore(core),
    records: new MemoryRecordStore(core),
    leases: new MemoryLeaseStore(core),
    requests: new MemoryRequestStore(core),
    interventions: new MemoryInterventionStore(core),
    archive: new MemoryChatArchive(core, files),
    usage: new MemoryUsageStore(core, files),
    files,
    webhooks: core.webhooks,
    dataKeys: new MemoryDataKeyStore(core, tenantKeys),
  };
}
