import { ChatStore } from '../../../persistence/chat.store.js';
import type { QueryDeepPartialEntity, Repository } from 'typeorm';
import { ChatEntity } from '../entities/chat.entity.js';
import type { ChatPatch, ChatRow, NewChat } from '../../../persistence/rows/store-rows.js';
import { removeLeftovers } from '../archive/leftovers.js';
import { SWITCH_HEAD } from '../interactions/chat-statements.js';
import { LOCK_CHAT } from '../interactions/chat-statements.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';
import type { Vacuum } from '../connection/vacuum.js';
import { IS_ACTIVE, IS_QUEUED } from '../interactions/interaction-row.js';

/** The target of casts, because TypeORM's type would expand `metadata` recursively. */
type Columns = QueryDeepPartialEntity<ChatRow>;

const IS_BEFORE = '(chat.created_at, chat.id) < (CAST(:created_at AS timestamptz), :id)';

/**
 * Requires `LOCK_CHAT`, so that no interaction starts meanwhile; an ended interaction never becomes
 * active again. Leaves the records to `removeLeftovers`.
 */
const DELETE_IDLE: Statement = {
  name: 'chats.delete_idle',
  text: `
    WITH idle AS (
      SELECT id FROM chats WHERE id = $1
      AND NOT EXISTS (SELECT FROM interactions WHERE chat_id = $1 AND (${IS_ACTIVE} OR ${IS_QUEUED}))
    ),
    loose AS (
      INSERT INTO loose_logs (interaction_id, remove_at)
      SELECT i.id, clock_timestamp() FROM interactions i WHERE i.chat_id = (SELECT id FROM idle)
    )
    DELETE FROM chats WHERE id = (SELECT id FROM idle) RETURNING id`,
};

const FIND_UID: Statement = {
  name: 'chats.find_uid',
  text: 'SELECT uid FROM chats WHERE id = $1',
};

export class TypeOrmChatStore extends ChatStore {
  /** @param vacuum for a database without autovacuum */
  constructor(
    private readonly db: Database,
    private readonly vacuum?: Vacuum,
  ) {
    super();
  }

  async createChat(chat: NewChat): Promise<boolean> {
    const row = { ...chat, updated_at: chat.created_at } as Columns;
    const { raw } = await this.#chats((chats) =>
      chats.createQueryBuilder().insert().values(row).orIgnore().returning('id').execute(),
    );
    return (raw as unknown[]).length > 0;
  }

  async findChat(id: string): Promise<ChatRow | undefined> {
    return (await this.#chats((chats) => chats.findOneBy({ id }))) ?? undefined;
  }

  async findUid(id: string): Promise<string | undefined> {
    return (await this.db.query<{ uid: string }>(FIND_UID, [id]))[0]?.uid;
  }

  listChats({ limit, before }: Parameters<ChatStore['listChats']>[0]): Promise<ChatRow[]> {
    return this.#chats((chats) => {
      const page = chats.createQueryBuilder('chat').limit(limit);
      page.orderBy('chat.created_at', 'DESC').addOrderBy('chat.id', 'DESC');
      if (before) page.where(IS_BEFORE, before);
      return page.getMany();
    });
  }

  async updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    return this.#chats(async (chats) => {
      await chats.update({ id }, patch as Columns);
      return (await chats.findOneBy({ id })) ?? undefined;
    });
  }

  async deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const [found, deleted] = await this.db.longBatch([
      [LOCK_CHAT, [id]],
      [DELETE_IDLE, [id]],
    ]);
    if (!found?.length) return 'unknown';
    return deleted?.length ? 'deleted' : 'busy';
  }

  async removeLeftovers(signal: AbortSignal): Promise<void> {
    if (await removeLeftovers(this.db, signal)) this.vacuum?.request();
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

  #chats<T>(work: (chats: Repository<ChatRow>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(ChatEntity)));
  }
}
