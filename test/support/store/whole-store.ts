import type { Clock } from '../../../src/kernel/clock.js';
import type { ChatStore } from '../../../src/persistence/chat.store.js';
import type { InteractionStore } from '../../../src/persistence/interaction.store.js';
import type { InterventionStore } from '../../../src/persistence/intervention.store.js';
import type { LeaseStore } from '../../../src/persistence/lease.store.js';
import type { RecordStore } from '../../../src/persistence/record.store.js';
import type { RequestStore } from '../../../src/persistence/request.store.js';
import type { Stores } from '../../../src/persistence/stores.js';
import { openMemoryStores } from '../../../src/storage/memory/memory-stores.js';

/** The ports of one state machine as one object, for tests that need most of them. */
export interface WholeStore
  extends ChatStore, InteractionStore, RecordStore, LeaseStore, RequestStore, InterventionStore {}

type Ports = Omit<Stores, 'archive'>;

/** One object with the methods of all ports. */
export function wholeStore(ports: Ports): WholeStore {
  const { chats, interactions, records, leases, requests, interventions } = ports;
  const all = [chats, interactions, records, leases, requests, interventions];
  const methods = all.flatMap((port) => {
    const members = port as unknown as Record<string, unknown>;
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(port));
    return names.flatMap((name) => {
      const member = members[name];
      return typeof member === 'function' ? [[name, member.bind(port)] as const] : [];
    });
  });
  return Object.fromEntries(methods) as unknown as WholeStore;
}

/** The same object as each of the ports. */
export function portsOf(store: WholeStore): Ports {
  return {
    chats: store,
    interactions: store,
    records: store,
    leases: store,
    requests: store,
    interventions: store,
  };
}

/** The ports in memory as one object. */
export function memoryStore(clock?: Clock): WholeStore {
  return wholeStore(openMemoryStores(clock));
}
