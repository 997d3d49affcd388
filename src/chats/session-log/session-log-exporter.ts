import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import { viewerOf } from '../../access/viewer-of.js';
import type { Principal } from '../../auth/principal.js';
import type { Viewer } from '../../persistence/viewer.js';
import { listAllRequests } from '../../approvals/list-all-requests.js';
import { AppError } from '../../kernel/app-error.js';
import { ChatArchive } from '../../persistence/chat-archive.js';
import type { ArchivedChat, ArchivedInteraction } from '../../persistence/chat-archive.js';
import { ChatStore } from '../../persistence/chat.store.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import { requireReadable } from '../../persistence/require-readable.js';
import { RequestStore } from '../../persistence/request.store.js';
import type { LogRecord, RecordOrigin } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { ChatRow } from '../../persistence/rows/chat-rows.js';
import type { Hidden, RecordBody } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import { requestIdOf } from './imported-requests.js';
import { SESSION_LOG_VERSION } from './line-schemas.js';

/** Records and interactions that are in memory at once. */
const RECORD_PAGE = 64;
const INTERACTION_PAGE = 20;

/** Line of a session log, an object of JSON. `session_log` comes first, `end` last. */
type LogLine =
  | { readonly type: 'session_log'; readonly version: number }
  | ({ readonly type: 'chat'; readonly agent: string | null } & Omit<
      ArchivedChat,
      'uid' | 'tenant_id' | 'owner' | 'visibility'
    >)
  | ({ readonly type: 'interaction' } & InteractionFields)
  | ({ readonly type: 'record'; body: RecordBody; hidden: Hidden | null } & RecordOrigin)
  | ({ readonly type: 'request' } & Omit<RequestRow, RequestInternals>)
  | { readonly type: 'message'; readonly interaction_id: string; readonly message: Message }
  | { readonly type: 'end' };

/** Internal fields, and those of other lines. */
type RequestInternals = 'chat_id' | 'chat_uid' | 'tenant_id' | 'event';

/** Without internal fields and those of the chat's line. */
type InteractionFields = Omit<
  ArchivedInteraction,
  | ('chat_id' | 'chat_uid' | 'tenant_id' | 'started_by')
  | ('signals' | 'cancel_reason' | 'cancelled_by' | 'waits_for')
>;

/** Exports chats as session logs. */
@Injectable()
export class SessionLogExporter {
  constructor(
    private readonly access: ChatAccess,
    private readonly chats: ChatStore,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly requests: RequestStore,
    private readonly archive: ChatArchive,
  ) {}

  /**
   * The log's text, a few lines at a time, each read from the store on demand.
   * @throws AppError `chat_not_found` (404), as `requireReadable`
   */
  async open(caller: Principal, chatId: string): Promise<AsyncGenerator<string>> {
    const chat = requireReadable(await this.access.chat(caller, chatId));
    return this.read(chat, viewerOf(caller));
  }

  /** @throws AppError `chat_deleted` when the chat is deleted meanwhile */
  private async *read(chat: ChatRow, viewer: Viewer): AsyncGenerator<string> {
    yield formatLine({ type: 'session_log', version: SESSION_LOG_VERSION });
    yield formatChat(chat, await this.chats.readMessages(chat.uid));
    const { archive, interactions: store } = this;
    for await (const row of parentsFirst(chat.uid, { archive, store, viewer }))
      yield* this.readInteraction(row, viewer);
    yield formatLine({ type: 'end' });
  }

  /** Up to the state of the interaction when its row was read. */
  private async *readInteraction(row: ArchivedInteraction, viewer: Viewer): AsyncGenerator<string> {
    yield formatInteraction(row);
    const asked = new Set<string | undefined>();
    for (let after = 0; after < row.last_seq;) {
      const limit = Math.min(RECORD_PAGE, row.last_seq - after);
      const records = await this.records.readRecords(row.id, { after, limit });
      if (records.length === 0) throw chatDeleted(row.chat_id);
      for (const { body } of records) asked.add(requestIdOf(body));
      yield records.map(formatRecord).join('');
      after += records.length;
    }
    const { id: interaction_id } = row;
    for await (const request of listAllRequests(this.requests, { viewer, interaction_id }))
      if (asked.has(request.id)) yield formatRequest(request);
    if (row.completed_at !== null) yield this.readMessages(interaction_id);
  }

  private async readMessages(interaction_id: string): Promise<string> {
    const added = await this.interactions.findAddedMessages([interaction_id]);
    const messages = added.get(interaction_id) ?? [];
    return messages
      .map((message) => formatLine({ type: 'message', interaction_id, message }))
      .join('');
  }
}

interface Lineage {
  readonly store: Pick<InteractionStore, 'findInteraction'>;
  readonly viewer: Viewer;
}

/**
 * The present interactions of a chat, parents before their children. That is the order of their
 * ids, except for a later one that jumped the queue: it comes before its children.
 */
async function* parentsFirst(
  chatUid: string,
  { archive, store, viewer }: Lineage & { archive: ChatArchive },
): AsyncGenerator<ArchivedInteraction> {
  const last = await archive.findLastInteractionId(chatUid);
  if (last === undefined) return;
  const early = new Set<string>();
  for (let after = ''; ;) {
    const page = await archive.listInteractions(chatUid, { limit: INTERACTION_PAGE, after });
    for (const row of page) {
      if (row.id > last) return;
      if (early.delete(row.id)) continue;
      yield* await lineageOf(row, { store, viewer, early });
    }
    if (page.length < INTERACTION_PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** The row, after its ancestors that were not yielded yet. */
async function lineageOf(
  row: ArchivedInteraction,
  { store, viewer, early }: Lineage & { early: Set<string> },
): Promise<ArchivedInteraction[]> {
  const lineage = [row];
  for (let id = row.parent_id; id !== null && id > row.id && !early.has(id);) {
    const parent = await store.findInteraction(id, viewer);
    if (!parent) break;
    early.add(id);
    lineage.unshift({ ...parent, begun: true });
    id = parent.parent_id;
  }
  return lineage;
}

function formatChat(chat: ChatRow, messages: readonly Message[]): string {
  const { id, title, preview, settings, head_interaction_id, metadata } = chat;
  const { created_at, updated_at } = chat;
  const times = { created_at, updated_at };
  const { agent = null } = settings;
  const named = { id, title, preview, agent, settings, head_interaction_id };
  const said = messages.length > 0 && { messages };
  return formatLine({ type: 'chat', ...named, ...times, metadata, ...said });
}

/** The order of the fields does not depend on the store. */
function formatInteraction(row: ArchivedInteraction): string {
  const { id, parent_id, edited_from, status, begun, user_message, agent, agent_id, model } = row;
  const { created_at, completed_at, superseded_at, last_seq, epoch, metadata } = row;
  const { error, usage } = row;
  const { redacted: _, imported: _imported, traceparent: _trace, ...settings } = row.settings;
  return formatLine({
    ...{ type: 'interaction', id, parent_id, edited_from, status, begun, user_message },
    ...{ agent, agent_id, model, created_at, completed_at, superseded_at, error, usage },
    ...{ last_seq, epoch, settings, metadata },
  });
}

/** The hidden part of a started tool is about processes of this host, so it is left out. */
function formatRecord(record: LogRecord): string {
  const { interaction_id, seq, epoch, agent_id, at, key, body } = record;
  const hidden = body.type === 'TOOL_STARTED' ? null : (record.hidden ?? null);
  const origin = { interaction_id, seq, epoch, agent_id, at, key };
  return formatLine({ type: 'record', ...origin, body, hidden });
}

/** Without the fields that its record has. */
function formatRequest(request: RequestRow): string {
  const { interaction_id, id, key, kind, status, agent_id, settlement } = request;
  const { created_at, expires_at, settled_at } = request;
  return formatLine({
    ...{ type: 'request', interaction_id, id, key, kind, status, agent_id },
    ...{ created_at, expires_at, settled_at, settlement },
  });
}

function formatLine(line: LogLine): string {
  return `${JSON.stringify(line)}\n`;
}

function chatDeleted(chatId: string): AppError {
  return new AppError('not_found', 'chat_deleted', `The chat ${chatId} was deleted meanwhile.`);
}
