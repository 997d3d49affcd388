import type { Clock } from '../../../src/kernel/clock.js';
import { ANY_TENANT } from '../../../src/persistence/any-tenant.js';
import type { ChatListPage, ChatStore } from '../../../src/persistence/chat.store.js';
import type { InteractionStore } from '../../../src/persistence/interaction.store.js';
import type { InterventionStore } from '../../../src/persistence/intervention.store.js';
import type { LeaseStore } from '../../../src/persistence/lease.store.js';
import type { RecordStore } from '../../../src/persistence/record.store.js';
import type { RequestStore } from '../../../src/persistence/request.store.js';
import type {
  InteractionKey,
  InteractionRow,
} from '../../../src/persistence/rows/interaction-row.js';
import type {
  InterveneOutcome,
  NewIntervention,
} from '../../../src/persistence/rows/intervention-rows.js';
import type {
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../../src/persistence/rows/request-rows.js';
import type { ChatRow } from '../../../src/persistence/rows/chat-rows.js';
import type {
  IdempotencyKey,
  RetryInteraction,
  RetryOutcome,
  StartInteraction,
  StartOutcome,
  UsedKey,
} from '../../../src/persistence/rows/start-rows.js';
import type { Stores } from '../../../src/persistence/stores.js';
import type { AnyViewer, Viewer } from '../../../src/persistence/viewer.js';
import { openMemoryStores } from '../../../src/storage/memory/memory-stores.js';
import { LOCAL } from './chat-parts.js';

type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

/** The methods of the ports that ask who wants it: here everybody may leave that out. */
interface Asking {
  findChat(id: string, viewer?: Viewer): Promise<ChatRow | undefined>;
  listChats(page: Optional<ChatListPage, 'viewer' | 'order'>): Promise<ChatRow[]>;
  startInteraction(start: Optional<StartInteraction, 'viewer'>): Promise<StartOutcome>;
  retryInteraction(
    retry: Optional<RetryInteraction, 'tenant_id'>,
  ): Promise<RetryOutcome | undefined>;
  findUsedKey(id: string, key: IdempotencyKey, viewer?: Viewer): Promise<UsedKey | undefined>;
  findInteraction(id: string, viewer?: AnyViewer): Promise<InteractionRow | undefined>;
  findInteractionOfAgent(id: string, viewer?: AnyViewer): Promise<InteractionRow | undefined>;
  requestCancel(
    interaction: InteractionKey | string,
    reason: string,
    userId?: string,
  ): Promise<InteractionRow | undefined>;
  findRequest(id: string, viewer?: AnyViewer): Promise<RequestRow | undefined>;
  listRequests(page: Optional<RequestPage, 'viewer'>): Promise<RequestRow[]>;
  settleRequest(settle: Optional<SettleRequest, 'tenant_id'>): Promise<SettleOutcome>;
  intervene(wanted: NewIntervention, tenantId?: string): Promise<InterveneOutcome>;
}

type Ports = Omit<Stores, 'archive'>;
type AllOfThem = ChatStore &
  InteractionStore &
  RecordStore &
  LeaseStore &
  RequestStore &
  InterventionStore;

/** The ports of one state machine as one object, for tests that need most of them. */
export interface WholeStore extends Omit<AllOfThem, keyof Asking>, Asking {}

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
  return { ...Object.fromEntries(methods), ...withDefaults(ports) } as unknown as WholeStore;
}

function withDefaults({ chats, interactions, requests, interventions }: Ports): Asking {
  const { tenant_id } = LOCAL;
  return {
    findChat: (id, viewer = LOCAL) => chats.findChat(id, viewer),
    listChats: (page) => chats.listChats({ viewer: LOCAL, order: 'created', ...page }),
    startInteraction: (start) => interactions.startInteraction({ viewer: LOCAL, ...start }),
    retryInteraction: (retry) => interactions.retryInteraction({ tenant_id, ...retry }),
    findUsedKey: (id, key, viewer = LOCAL) => interactions.findUsedKey(id, key, viewer),
    findInteraction: (id, viewer = ANY_TENANT) => interactions.findInteraction(id, viewer),
    findInteractionOfAgent: (id, viewer = ANY_TENANT) =>
      interactions.findInteractionOfAgent(id, viewer),
    requestCancel: (named, reason, userId) =>
      interactions.requestCancel(
        typeof named === 'string' ? { id: named, tenant_id } : named,
        reason,
        userId,
      ),
    findRequest: (id, viewer = ANY_TENANT) => requests.findRequest(id, viewer),
    listRequests: (page) => requests.listRequests({ viewer: ANY_TENANT, ...page }),
    settleRequest: (settle) => requests.settleRequest({ tenant_id, ...settle }),
    intervene: (wanted, tenantId = tenant_id) => interventions.intervene(wanted, tenantId),
  };
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
