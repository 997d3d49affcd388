import type { KeyStore } from '../auth/keys/key-store.js';
import type { TicketStore } from '../auth/tickets/ticket-store.js';
import type { AuditStore } from '../audit/audit-store.js';
import type { DataKeyStore } from '../encryption/data-key-store.js';
import type { FileCatalog } from '../files/file-catalog.js';
import type { Stores } from '../persistence/stores.js';
import type { RuleStore } from '../permissions/rules/rule-store.js';
import type { UsageStore } from '../quotas/usage-store.js';
import type { TaskStore } from '../tasks/task-store.js';
import type { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import type { SavedTexts } from './saved-texts.js';

/** All stores: an implementation of each port. */
export interface AllStores extends Stores {
  readonly rules: RuleStore;
  readonly tasks: TaskStore;
  readonly files: FileCatalog;
  readonly keys: KeyStore;
  readonly tickets: TicketStore;
  readonly audit: AuditStore;
  readonly usage: UsageStore;
  readonly dataKeys: DataKeyStore;
  readonly webhooks: WebhookOutbox;
  readonly saved: SavedTexts;
  /** The stores of `RunStores`; undefined: the same stores. */
  readonly runs?: Stores;
}
