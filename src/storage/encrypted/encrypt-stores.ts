import type { Stores } from '../../persistence/stores.js';
import type { AllStores } from '../stores.js';
import type { ChatKeys } from './chat-keys.js';
import { EncryptedChatArchive } from './encrypted-chat-archive.js';
import { EncryptedChatStore } from './encrypted-chat-store.js';
import { EncryptedFileCatalog } from './files/encrypted-file-catalog.js';
import { EncryptedInteractionStore } from './encrypted-interaction-store.js';
import { EncryptedInterventionStore } from './encrypted-intervention-store.js';
import { EncryptedLeaseStore } from './encrypted-lease-store.js';
import { EncryptedRecordStore } from './encrypted-record-store.js';
import { EncryptedRequestStore } from './encrypted-request-store.js';
import { EncryptedRuleStore } from './encrypted-rule-store.js';
import { EncryptedTaskStore } from './encrypted-task-store.js';

/** The same stores, which encrypt what people and models have written. */
export function encryptStores<S extends AllStores>(stores: S, keys: ChatKeys): S {
  const { data } = keys;
  return {
    ...stores,
    ...encryptChats(stores, keys),
    rules: new EncryptedRuleStore(stores.rules, data),
    files: new EncryptedFileCatalog(stores.files, data),
    tasks: new EncryptedTaskStore(stores.tasks, data),
    ...(stores.runs && { runs: encryptChats(stores.runs, keys) }),
  };
}

/** The stores of chats, and of what is in them. */
export function encryptChats(stores: Stores, keys: ChatKeys): Stores {
  return {
    chats: new EncryptedChatStore(stores.chats, keys),
    interactions: new EncryptedInteractionStore(stores.interactions, keys, stores.chats),
    records: new EncryptedRecordStore(stores.records, keys),
    leases: new EncryptedLeaseStore(stores.leases, keys),
    requests: new EncryptedRequestStore(stores.requests, keys),
    interventions: new EncryptedInterventionStore(stores.interventions, keys),
    archive: new EncryptedChatArchive(stores.archive, keys),
  };
}
