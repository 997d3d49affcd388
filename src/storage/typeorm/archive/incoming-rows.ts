import type {
  ArchivedEnd,
  ArchivedInteraction,
  IncomingChat,
} from '../../../persistence/chat-archive.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RequestRow } from '../../../persistence/rows/request-rows.js';
import type { ChatRow } from '../../../persistence/rows/store-rows.js';
import {
  ADD_INTERACTION,
  ADD_RECORDS,
  ADD_REQUEST,
  COMMIT_INCOMING,
  DISCARD,
} from './archive-statements.js';
import { MARK_BRANCH_OF } from '../interactions/branch-statements.js';
import type { Database } from '../connection/database.js';
import type { Step } from '../connection/database.js';

/** A chat that is being brought in, in tables of its own: no connection is held while it arrives, and one transaction moves it. */
export class IncomingRows implements IncomingChat {
  constructor(
    private readonly db: Database,
    private readonly id: string,
  ) {}

  async append({ id }: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    await this.db.query(ADD_RECORDS, [this.id, id, ...toColumns(records)]);
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    const asked = requests.map((request): Step => [ADD_REQUEST, [this.id, ...ofRequest(request)]]);
    const values = [this.id, ...ofInteraction(row, JSON.stringify(added_messages))];
    await this.db.batch([[ADD_INTERACTION, values], ...asked]);
  }

  async commit(chat: ChatRow): Promise<boolean> {
    const { id, title, agent, head_interaction_id, created_at, updated_at, metadata } = chat;
    const json = JSON.stringify(metadata);
    const values = [id, title, agent, head_interaction_id, created_at, updated_at, json];
    const [made] = await this.db.batch([
      [COMMIT_INCOMING, [this.id, ...values]],
      [MARK_BRANCH_OF, [head_interaction_id, updated_at]],
      [DISCARD, [this.id]],
    ]);
    return made!.length > 0;
  }

  async discard(): Promise<void> {
    await this.db.query(DISCARD, [this.id]);
  }
}

function toColumns(records: readonly LogRecord[]): unknown[] {
  return [
    records.map(({ seq }) => seq),
    records.map(({ epoch }) => epoch),
    records.map(({ agent_id }) => agent_id),
    records.map(({ key }) => key),
    records.map(({ body }) => body.type),
    records.map(({ at }) => at),
    JSON.stringify(records.map(({ body }) => body)),
    JSON.stringify(records.map(({ hidden }) => hidden)),
  ];
}

function ofInteraction(row: ArchivedInteraction, added_messages: string): unknown[] {
  const { id, chat_id, parent_id, status, user_message, agent, agent_id, model } = row;
  const { usage, error, created_at, completed_at, superseded_at, last_seq, epoch } = row;
  return [
    ...[id, chat_id, parent_id, status, user_message, agent, agent_id, model],
    ...[JSON.stringify(row.settings), usage.input_tokens, usage.output_tokens],
    ...[error && JSON.stringify(error), added_messages, created_at, completed_at],
    ...[superseded_at, last_seq, JSON.stringify(row.metadata), epoch, row.edited_from],
    row.begun ? null : 0,
  ];
}

function ofRequest(row: RequestRow): unknown[] {
  const { id, interaction_id, chat_id, key, kind, status, agent_id, settlement } = row;
  return [
    ...[id, interaction_id, chat_id, key, kind, status, agent_id, JSON.stringify(row.event)],
    ...[settlement && JSON.stringify(settlement), row.created_at, row.expires_at, row.settled_at],
  ];
}
