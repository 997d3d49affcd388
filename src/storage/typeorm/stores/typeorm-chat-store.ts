import { ChatStore } from '../../../persistence/chat.store.js';
import type { Json } from '../../../protocol/json.js';
import type { ChatPatch, ChatRow, NewChat } from '../../../persistence/rows/store-rows.js';
import { SWITCH_HEAD } from '../interactions/branch-statements.js';
import { LOCK_CHAT } from '../interactions/chat-lock.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';
import type { Vacuum } from '../connection/vacuum.js';
import { IS_ACTIVE, IS_QUEUED } from '../interactions/predicates.js';

interface Columns extends Omit<ChatRow, 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly metadata: Json;
}

const COLUMNS = 'id, title, agent, head_interaction_id, created_at, updated_at, metadata';

const CREATE: Statement = {
  name: 'chats.create',
  text: `INSERT INTO chats (id, title, agent, created_at, updated_at, metadata)
    VALUES ($1, $2, $3, $4, $4, $5) ON CONFLICT (id) DO NOTHING RETURNING id`,
};

const FIND: Statement = {
  name: 'chats.find',
  text: `SELECT ${COLUMNS} FROM chats WHERE id = $1`,
};

const LIST: Statement = {
  name: 'chats.list',
  text: `SELECT ${COLUMNS} FROM chats ORDER BY created_at DESC, id DESC LIMIT $1`,
};

const LIST_BEFORE: Statement = {
  name: 'chats.list_before',
  text: `SELECT ${COLUMNS} FROM chats WHERE (created_at, id) < ($2::timestamptz, $3)
    ORDER BY created_at DESC, id DESC LIMIT $1`,
};

const UPDATE: Statement = {
  name: 'chats.update',
  text: `UPDATE chats SET title = CASE WHEN $2 THEN $3 ELSE title END, metadata = coalesce($4, metadata), updated_at = $5
    WHERE id = $1 RETURNING ${COLUMNS}`,
};

/** Under `LOCK_CHAT`, so that nothing starts meanwhile; what has ended never becomes active again. */
const DELETE_IDLE: Statement = {
  name: 'chats.delete_idle',
  text: `DELETE FROM chats WHERE id = $1
    AND NOT EXISTS (SELECT FROM interactions WHERE chat_id = $1 AND (${IS_ACTIVE} OR ${IS_QUEUED})) RETURNING id`,
};

export class TypeOrmChatStore extends ChatStore {
  /** @param vacuum for a database that doesn't make room by itself */
  constructor(
    private readonly db: Database,
    private readonly vacuum?: Vacuum,
  ) {
    super();
  }

  async createChat({ id, title, agent, created_at, metadata }: NewChat): Promise<boolean> {
    const values = [id, title, agent, created_at, JSON.stringify(metadata)];
    return (await this.db.query(CREATE, values)).length > 0;
  }

  async findChat(id: string): Promise<ChatRow | undefined> {
    const [found] = await this.db.query<Columns>(FIND, [id]);
    return found && toChatRow(found);
  }

  async listChats(page: {
    limit: number;
    before?: { created_at: string; id: string };
  }): Promise<ChatRow[]> {
    const { limit, before } = page;
    const rows = before
      ? await this.db.query<Columns>(LIST_BEFORE, [limit, before.created_at, before.id])
      : await this.db.query<Columns>(LIST, [limit]);
    return rows.map(toChatRow);
  }

  async updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    const { title, metadata, updated_at } = patch;
    const json = metadata && JSON.stringify(metadata);
    const values = [id, title !== undefined, title, json, updated_at];
    const [updated] = await this.db.query<Columns>(UPDATE, values);
    return updated && toChatRow(updated);
  }

  async deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const [found, deleted] = await this.db.batch([
      [LOCK_CHAT, [id]],
      [DELETE_IDLE, [id]],
    ]);
    if (!found?.length) return 'unknown';
    if (!deleted?.length) return 'busy';
    this.vacuum?.request();
    return 'deleted';
  }

  async switchHead(
    id: string,
    headId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    const [, verdicts] = await this.db.batch<{ known: boolean; switched: boolean }>([
      [LOCK_CHAT, [id]],
      [SWITCH_HEAD, [id, headId, at]],
    ]);
    const { known, switched } = verdicts![0]!;
    if (!known) return 'unknown';
    return switched ? 'switched' : 'busy';
  }
}

function toChatRow({ created_at, updated_at, metadata, ...rest }: Columns): ChatRow {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    metadata,
  };
}
