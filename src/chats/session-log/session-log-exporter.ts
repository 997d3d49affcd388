import { Injectable } from '@nestjs/common';
import { listAllRequests } from '../../approvals/list-all-requests.js';
import { AppError } from '../../kernel/app-error.js';
import { ChatArchive } from '../../persistence/chat-archive.js';
import type { ArchivedInteraction } from '../../persistence/chat-archive.js';
import { ChatStore } from '../../persistence/chat.store.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import { RequestStore } from '../../persistence/request.store.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { ChatRow } from '../../persistence/rows/store-rows.js';
import { SESSION_LOG_VERSION, formatLine } from './log-line.js';
import { parentsFirst } from './parents-first.js';
import { requestIdOf } from './request-id-of.js';

/** Records that are in memory at once. */
const PAGE = 64;

/** Reads chats out as session logs. */
@Injectable()
export class SessionLogExporter {
  constructor(
    private readonly chats: ChatStore,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly requests: RequestStore,
    private readonly archive: ChatArchive,
  ) {}

  /**
   * The log's text, a few lines at a time. The next ones are read from the store when they are asked for.
   * @throws AppError `chat_not_found` (404)
   */
  async open(chatId: string): Promise<AsyncGenerator<string>> {
    const chat = await this.chats.findChat(chatId);
    if (!chat) throw new AppError('not_found', 'chat_not_found', `There is no chat ${chatId}.`);
    return this.read(chat);
  }

  /** @throws AppError `chat_deleted` when the chat goes meanwhile */
  private async *read(chat: ChatRow): AsyncGenerator<string> {
    yield formatLine({ type: 'session_log', version: SESSION_LOG_VERSION });
    yield formatChat(chat);
    for await (const row of parentsFirst(this.archive, this.interactions, chat.id))
      yield* this.readInteraction(row);
    yield formatLine({ type: 'end' });
  }

  /** As far as it had come when its row was read. */
  private async *readInteraction(row: ArchivedInteraction): AsyncGenerator<string> {
    yield formatInteraction(row);
    const asked = new Set<string | undefined>();
    for (let after = 0; after < row.last_seq;) {
      const limit = Math.min(PAGE, row.last_seq - after);
      const records = await this.records.readRecords(row.id, { after, limit });
      if (records.length === 0) throw chatDeleted(row.chat_id);
      for (const { body } of records) asked.add(requestIdOf(body));
      yield records.map(formatRecord).join('');
      after += records.length;
    }
    const { id: interaction_id, chat_id } = row;
    for await (const request of listAllRequests(this.requests, { chat_id, interaction_id }))
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

function formatChat(chat: ChatRow): string {
  const { id, title, agent, head_interaction_id, created_at, updated_at, metadata } = chat;
  const times = { created_at, updated_at };
  return formatLine({ type: 'chat', id, title, agent, head_interaction_id, ...times, metadata });
}

/** In the same order whatever the store. */
function formatInteraction(row: ArchivedInteraction): string {
  const { id, parent_id, edited_from, status, begun, user_message, agent, agent_id, model } = row;
  const { created_at, completed_at, superseded_at, last_seq, epoch, metadata } = row;
  const { error, usage } = row;
  const { max_iterations, on_disconnect, approval_mode, client_tools, budget } = row.settings;
  const settings = { max_iterations, on_disconnect, approval_mode, client_tools, budget };
  return formatLine({
    ...{ type: 'interaction', id, parent_id, edited_from, status, begun, user_message },
    ...{ agent, agent_id, model, created_at, completed_at, superseded_at, error, usage },
    ...{ last_seq, epoch, settings, metadata },
  });
}

/** What a started tool hides is about processes of this host. */
function formatRecord(record: LogRecord): string {
  const { interaction_id, seq, epoch, agent_id, at, key, body } = record;
  const hidden = body.type === 'TOOL_STARTED' ? null : (record.hidden ?? null);
  const origin = { interaction_id, seq, epoch, agent_id, at, key };
  return formatLine({ type: 'record', ...origin, body, hidden });
}

/** Without what its record says. */
function formatRequest({ chat_id: _chat, event: _event, ...request }: RequestRow): string {
  const { interaction_id, id, key, kind, status, agent_id, settlement } = request;
  const { created_at, expires_at, settled_at } = request;
  return formatLine({
    ...{ type: 'request', interaction_id, id, key, kind, status, agent_id },
    ...{ created_at, expires_at, settled_at, settlement },
  });
}

function chatDeleted(chatId: string): AppError {
  return new AppError('not_found', 'chat_deleted', `The chat ${chatId} was deleted meanwhile.`);
}
