import type { AllStores } from '../stores.js';
import type { Database } from './connection/database.js';
import { AppendQueries } from './append/append-records.js';
import { TypeOrmAuditStore } from './stores/typeorm-audit-store.js';
import { TypeOrmChatArchive } from './archive/typeorm-chat-archive.js';
import { TypeOrmChatStore } from './stores/typeorm-chat-store.js';
import { TypeOrmDataKeyStore } from './stores/typeorm-data-key-store.js';
import { TypeOrmFileCatalog } from './stores/typeorm-file-catalog.js';
import { TypeOrmInteractionStore } from './interactions/typeorm-interaction-store.js';
import { TypeOrmInterventionStore } from './stores/typeorm-intervention-store.js';
import { TypeOrmKeyStore } from './stores/typeorm-key-store.js';
import { TypeOrmLeaseStore } from './stores/typeorm-lease-store.js';
import { TypeOrmRecordStore } from './append/typeorm-record-store.js';
import { TypeOrmRequestStore } from './stores/typeorm-request-store.js';
import { TypeOrmRuleStore } from './stores/typeorm-rule-store.js';
import { TypeOrmSavedTexts } from './stores/typeorm-saved-texts.js';
import { TypeOrmTaskStore } from './stores/typeorm-task-store.js';
import { TypeOrmTicketStore } from './stores/typeorm-ticket-store.js';
import { TypeOrmUsageStore } from './stores/typeorm-usage-store.js';
import { TypeOrmWebhookOutbox } from './stores/typeorm-webhook-outbox.js';
import type { OtherProcesses } from './connection/other-processes.js';
import type { Vacuum } from './connection/vacuum.js';

/**
 * The implementations of the ports in Postgres, on a server or embedded, with the same SQL.
 * @param vacuum for a database without autovacuum
 * @param others checked with the health of the database, if they are to be reported
 */
export function createStores(
  database: Database,
  vacuum?: Vacuum,
  others?: OtherProcesses,
): AllStores {
  const appends = new AppendQueries(database.runs);
  const shared = { appends, vacuum, others };
  return { ...storesOn(database, shared), runs: storesOn(database.runs, shared) };
}

interface Shared {
  readonly appends: AppendQueries;
  readonly vacuum: Vacuum | undefined;
  readonly others: OtherProcesses | undefined;
}

function storesOn(database: Database, { appends, vacuum, others }: Shared): AllStores {
  return {
    chats: new TypeOrmChatStore(database, vacuum),
    interactions: new TypeOrmInteractionStore(database),
    records: new TypeOrmRecordStore(database, appends, others),
    leases: new TypeOrmLeaseStore(database.runs),
    requests: new TypeOrmRequestStore(database),
    interventions: new TypeOrmInterventionStore(database),
    archive: new TypeOrmChatArchive(database),
    rules: new TypeOrmRuleStore(database),
    tasks: new TypeOrmTaskStore(database),
    files: new TypeOrmFileCatalog(database),
    keys: new TypeOrmKeyStore(database),
    tickets: new TypeOrmTicketStore(database),
    audit: new TypeOrmAuditStore(database),
    usage: new TypeOrmUsageStore(database),
    dataKeys: new TypeOrmDataKeyStore(database.runs),
    webhooks: new TypeOrmWebhookOutbox(database),
    saved: new TypeOrmSavedTexts(database),
  };
}
