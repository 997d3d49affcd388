import { SystemClock } from '../../kernel/clock.js';
import type { Clock } from '../../kernel/clock.js';
import type { Stores } from '../../persistence/stores.js';
import type { UsageStore } from '../../quotas/usage-store.js';
import { MemoryChatArchive } from './memory-chat-archive.js';
import { MemoryChatStore } from './memory-chat-store.js';
import { MemoryInteractionStore } from './memory-interaction-store.js';
import { MemoryInterventionStore } from './memory-intervention-store.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryLeaseStore } from './memory-lease-store.js';
import { MemoryRecordStore } from './memory-record-store.js';
import { MemoryRequestStore } from './memory-request-store.js';
import { MemoryUsageStore } from './memory-usage-store.js';
import { StoreCore } from './store-core.js';

/** All stores in memory: for tests, and for a process without persistence. */
export function openMemoryStores(
  clock: Clock = new SystemClock(),
): Stores & { readonly usage: UsageStore } {
  return storesOver(new StoreCore({ journal: new MemoryJournal(), clock }));
}

export function storesOver(core: StoreCore): Stores & { readonly usage: UsageStore } {
  return {
    chats: new MemoryChatStore(core),
    interactions: new MemoryInteractionStore(core),
    records: new MemoryRecordStore(core),
    leases: new MemoryLeaseStore(core),
    requests: new MemoryRequestStore(core),
    interventions: new MemoryInterventionStore(core),
    archive: new MemoryChatArchive(core),
    usage: new MemoryUsageStore(core.index),
  };
}
