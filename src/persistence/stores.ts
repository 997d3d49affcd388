import type { ChatArchive } from './chat-archive.js';
import type { ChatStore } from './chat.store.js';
import type { InteractionStore } from './interaction.store.js';
import type { InterventionStore } from './intervention.store.js';
import type { LeaseStore } from './lease.store.js';
import type { RecordStore } from './record.store.js';
import type { RequestStore } from './request.store.js';

/**
 * Stores of chats and their contents, by topic. Methods named `find` may return undefined; `list`
 * methods return pages. A rejection means that the store is unavailable or broken (retry later),
 * never an expected outcome.
 */
export interface Stores {
  readonly chats: ChatStore;
  readonly interactions: InteractionStore;
  readonly records: RecordStore;
  readonly leases: LeaseStore;
  readonly requests: RequestStore;
  readonly interventions: InterventionStore;
  readonly archive: ChatArchive;
}

/**
 * The stores that runs read from: the same data over connections of their own, so that runs never
 * wait for reads of clients. Writes of runs use these connections in every store.
 */
export abstract class RunStores implements Stores {
  abstract readonly chats: ChatStore;
  abstract readonly interactions: InteractionStore;
  abstract readonly records: RecordStore;
  abstract readonly leases: LeaseStore;
  abstract readonly requests: RequestStore;
  abstract readonly interventions: InterventionStore;
  abstract readonly archive: ChatArchive;
}
