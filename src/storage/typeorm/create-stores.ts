import type { AllStores } from '../stores.js';
import type { Database } from './database.js';
import { TypeOrmChatArchive } from './typeorm-chat-archive.js';
import { TypeOrmChatStore } from './typeorm-chat-store.js';
import { TypeOrmInteractionStore } from './typeorm-interaction-store.js';
import { TypeOrmInterventionStore } from './typeorm-intervention-store.js';
import { TypeOrmLeaseStore } from './typeorm-lease-store.js';
import { TypeOrmRecordStore } from './typeorm-record-store.js';
import { TypeOrmRequestStore } from './typeorm-request-store.js';
import { TypeOrmRuleStore } from './typeorm-rule-store.js';
import { TypeOrmTaskStore } from './typeorm-task-store.js';
import type { Vacuum } from './vacuum.js';

/**
 * The ports in Postgres, on a server or embedded: the same SQL.
 * @param vacuum for a database that does not vacuum itself
 */
export function createStores(database: Database, vacuum?: Vacuum): AllStores {
  return {
    chats: new TypeOrmChatStore(database, vacuum),
    interactions: new TypeOrmInteractionStore(database),
    records: new TypeOrmRecordStore(database),
    leases: new TypeOrmLeaseStore(database),
    requests: new TypeOrmRequestStore(database),
    interventions: new TypeOrmInterventionStore(database),
    archive: new TypeOrmChatArchive(database),
    rules: new TypeOrmRuleStore(database),
    tasks: new TypeOrmTaskStore(database),
  };
}
