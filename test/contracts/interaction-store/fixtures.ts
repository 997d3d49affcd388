import { chatOf, LOCAL, uidOf } from '../../support/store/chat-parts.js';
import type { WholeStore } from '../../support/store/whole-store.js';
import { eventually } from '../../support/eventually.js';
import type { LogRecord } from '../../../src/persistence/rows/log-record.js';
import type { NewRequest } from '../../../src/persistence/rows/request-rows.js';
import type {
  InteractionRow,
  InteractionSettings,
} from '../../../src/persistence/rows/interaction-row.js';
import type { AppendBatch, InteractionEnd } from '../../../src/persistence/rows/append-rows.js';
import type { Lease, LeaseTerms } from '../../../src/persistence/rows/lease-rows.js';
import type { NewChat } from '../../../src/persistence/rows/chat-rows.js';
import type { StartInteraction } from '../../../src/persistence/rows/start-rows.js';
import type { Viewer } from '../../../src/persistence/viewer.js';
import { Ids } from '../../../src/kernel/ids.js';
import type { Message } from '../../../src/protocol/message.js';

const ids = new Ids();
const EPOCH_START = Date.UTC(2026, 0, 15, 10);

/** Long enough never to lapse during a test. */
export const HELD: LeaseTerms = { owner: 'process-a', ttl_ms: 600_000 };
/** Lapses at once; wait for it with `acquireOnceFree`. */
export const LAPSING: LeaseTerms = { owner: 'process-a', ttl_ms: 1 };

/** The n-th second of the tests' day. */
export function at(second: number): string {
  return new Date(EPOCH_START + second * 1000).toISOString();
}

export function chatId(): string {
  return ids.make('chat');
}

export function interactionId(): string {
  return ids.make('int');
}

export function newChat(overrides: Partial<NewChat> = {}): NewChat {
  return chatOf({ id: chatId(), created_at: at(0), ...overrides });
}

const SETTINGS: InteractionSettings = {
  max_iterations: 25,
  on_disconnect: 'cancel',
  approval_mode: 'ask',
  client_tools: [{ name: 'pick', description: 'Picks.', input_schema: { type: 'object' } }],
};

export interface StartOverrides {
  readonly chat_uid?: string;
  readonly viewer?: Viewer;
  readonly chat_id?: string;
  readonly id?: string;
  readonly user_message?: string;
  readonly created_at?: string;
  readonly on_conflict?: StartInteraction['on_conflict'];
  readonly edited_from?: string;
  readonly idempotency?: StartInteraction['idempotency'];
  readonly lease?: LeaseTerms;
}

export function newStart(overrides: StartOverrides = {}): StartInteraction {
  const { chat_id = chatId(), created_at = at(1), on_conflict = 'reject' } = overrides;
  const { edited_from, idempotency, lease, viewer = LOCAL } = overrides;
  const { tenant_id, user_id: owner } = viewer;
  const uid =
    overrides.chat_uid ??
    uidOf(tenant_id === LOCAL.tenant_id ? chat_id : `${chat_id}/${tenant_id}`);
  return {
    chat: newChat({ uid, id: chat_id, tenant_id, owner, created_at }),
    viewer,
    interaction: {
      id: overrides.id ?? interactionId(),
      chat_id,
      user_message: overrides.user_message ?? 'What is 6 * 7?',
      agent: 'react',
      model: 'demo/script',
      agent_id: ids.make('agent'),
      settings: SETTINGS,
      created_at,
      metadata: { source: 'contract', tags: ['a', 'b'] },
    },
    on_conflict,
    ...(edited_from && { edited_from }),
    ...(idempotency && { idempotency }),
    ...(lease && { lease }),
  };
}

/** What a row has of its chat and of who started it, if the start creates the chat. */
export function ownerOf({ chat, viewer: { tenant_id, user_id: started_by } }: StartInteraction) {
  return { chat_uid: chat.uid, tenant_id, started_by };
}

/** Starts an interaction that must not meet a busy chat. */
export async function started(
  store: WholeStore,
  overrides: StartOverrides = {},
): Promise<InteractionRow> {
  const result = await store.startInteraction(newStart(overrides));
  if (result.outcome !== 'started') throw new Error(`The start was ${result.outcome}.`);
  return result.interaction;
}

/** Starts an interaction that must meet a busy chat, and waits there. */
export async function queued(
  store: WholeStore,
  overrides: StartOverrides,
): Promise<InteractionRow> {
  const start = newStart({ on_conflict: 'enqueue', ...overrides });
  const result = await store.startInteraction(start);
  if (result.outcome !== 'queued') throw new Error(`The start was ${result.outcome}.`);
  return result.interaction;
}

/** Stores keep any JSON in `hidden`, of its type or not. */
export function newRecord(
  interactionId: string,
  seq: number,
  overrides: Partial<Omit<LogRecord, 'hidden'>> & { readonly hidden?: unknown } = {},
): LogRecord {
  const record = {
    interaction_id: interactionId,
    seq,
    epoch: 1,
    agent_id: 'agent_root',
    at: at(seq),
    key: `root/${seq}`,
    body: { type: 'MESSAGE', block_id: `b${seq}`, content: `text of ${seq}` },
    hidden: { turn: seq },
    ...overrides,
  };
  return record as LogRecord;
}

/** Records `from`…`to` of one interaction, and what else the append carries. */
export function newBatch(
  interactionId: string,
  [from, to]: readonly [number, number],
  extra: Partial<Omit<AppendBatch, 'interaction_id' | 'records'>> = {},
): AppendBatch {
  const epoch = extra.epoch ?? 1;
  const records: LogRecord[] = [];
  for (let seq = from; seq <= to; seq++) records.push(newRecord(interactionId, seq, { epoch }));
  return { ...extra, interaction_id: interactionId, epoch, records };
}

/** A question, unless `overrides` says otherwise; its key is `root/<n>`. */
export function newRequest(n: number, overrides: Partial<NewRequest> = {}): NewRequest {
  const id = ids.make('input');
  const question = `Question ${n}?`;
  return {
    id,
    key: `root/${n}`,
    kind: 'input',
    agent_id: 'agent_root',
    created_at: at(n),
    expires_at: null,
    event: { type: 'INPUT_REQUIRED', request_id: id, question, expires_at: null },
    ...overrides,
  };
}

export function newEnd(text: string, overrides: Partial<InteractionEnd> = {}): InteractionEnd {
  return {
    status: 'COMPLETED',
    error: null,
    completed_at: at(90),
    added_messages: exchange(text),
    ...overrides,
  };
}

/** A question and its answer, as an interaction adds them to the conversation. */
export function exchange(text: string): Message[] {
  return [
    { role: 'user', content: `${text}?` },
    { role: 'assistant', content: `${text}!` },
  ];
}

/** The one append that ends an interaction: `INTERACTION_COMPLETE` at `seq`. */
export function endBatch(
  interactionId: string,
  seq: number,
  { epoch = 1, end = newEnd('done') }: { epoch?: number; end?: InteractionEnd } = {},
): AppendBatch {
  const body = { type: 'INTERACTION_COMPLETE', status: end.status } as const;
  const last = newRecord(interactionId, seq, { epoch, body, key: null, hidden: null });
  return { interaction_id: interactionId, epoch, records: [last], end };
}

/** Starts, leased, and ends an interaction that adds `exchange(text)`. */
export async function ended(
  store: WholeStore,
  text: string,
  overrides: StartOverrides = {},
): Promise<InteractionRow> {
  const row = await started(store, { lease: HELD, ...overrides });
  await store.append([endBatch(row.id, 2, { end: newEnd(text) })]);
  return row;
}

/**
 * Polls until the lease can be taken: its lapse is by the store's clock, which a test can't set.
 */
export async function acquireOnceFree(
  store: WholeStore,
  interactionId: string,
  terms: LeaseTerms = { ...HELD, owner: 'process-b' },
): Promise<Lease> {
  let lease: Lease | undefined;
  await eventually(
    async () => (lease = await store.acquireLease(interactionId, terms)) !== undefined,
  );
  return lease!;
}

export async function readAll(store: WholeStore, interactionId: string): Promise<LogRecord[]> {
  return store.readRecords(interactionId, { after: 0, limit: 100_000 });
}
