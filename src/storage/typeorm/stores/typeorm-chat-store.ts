import { outsideTenants } from '../../../kernel/tenant-scope.js';
import { ChatStore, MAX_STATES } from '../../../persistence/chat.store.js';
import type {
  ChatListPage,
  SliceOfChats,
  UntouchedChats,
} from '../../../persistence/chat.store.js';
import type { Viewer } from '../../../persistence/viewer.js';
import { isSeen, viewerValues, VIEWER } from '../viewer-sql.js';
import type { QueryDeepPartialEntity, Repository } from 'typeorm';
import { ChatEntity } from '../entities/chat.entity.js';
import { MAX_PENDING, statusOfChat } from '../../../persistence/rows/chat-state.js';
import type { ChatState } from '../../../persistence/rows/chat-state.js';
import type { ChatPatch, ChatRow, NewChat } from '../../../persistence/rows/chat-rows.js';
import type { Message } from '../../../protocol/message.js';
import type { InteractionStatus } from '../../../protocol/interaction.js';
import { removeLeftovers, USAGE_KEPT } from '../archive/leftovers.js';
import { SWITCH_HEAD } from '../interactions/chat-statements.js';
import { chatValues, INSERT_CHAT, LOCK_CHAT, NEW_CHAT } from '../interactions/chat-statements.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';
import { named } from '../named-statement.js';
import type { Vacuum } from '../connection/vacuum.js';
import {
  IS_ACTIVE,
  IS_QUEUED,
  STARTED_ON,
  USED_BY_MODEL,
} from '../interactions/interaction-row.js';

/** The target of casts, because TypeORM's type would expand `metadata` recursively. */
type Columns = QueryDeepPartialEntity<ChatRow>;

/** True for a chat `c` that is untouched since the parameter; its interactions have ended. */
function isUntouched(before: string): string {
  return `c.updated_at < ${before}::timestamptz AND NOT EXISTS (
    SELECT FROM interactions i WHERE i.chat_uid = c.uid AND (i.completed_at IS NULL OR i.completed_at >= ${before}::timestamptz))`;
}

/** Along the primary key, of all tenants. */
const LIST_UNTOUCHED: Statement = {
  text: `
    WITH slice AS MATERIALIZED (
      SELECT uid, updated_at FROM chats WHERE $3::uuid IS NULL OR uid > $3 ORDER BY uid LIMIT $2
    )
    SELECT ARRAY(SELECT c.uid::text FROM slice c WHERE ${isUntouched('$1')} ORDER BY c.uid) AS uids,
      (SELECT uid FROM slice ORDER BY uid OFFSET $2 - 1) AS next`,
};

const ADDED_IF_THERE = ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost_usd']
  .map((name) => `${name} = coalesce(d.${name} + excluded.${name}, d.${name}, excluded.${name})`)
  .join(', ');

/**
 * Requires `LOCK_CHAT`, so that no interaction starts meanwhile; an ended interaction never becomes
 * active again. Leaves the records to `removeLeftovers`.
 */
const DELETE_IDLE: Statement = {
  name: 'chats.delete_idle',
  text: `
    WITH idle AS (
      SELECT uid FROM chats c WHERE uid = $1 AND ($2::timestamptz IS NULL OR ${isUntouched('$2')})
      AND NOT EXISTS (SELECT FROM interactions WHERE chat_uid = $1 AND (${IS_ACTIVE} OR ${IS_QUEUED}))
    ),
    loose AS (
      INSERT INTO loose_logs (interaction_id, remove_at)
      SELECT i.id, clock_timestamp() FROM interactions i WHERE i.chat_uid = (SELECT uid FROM idle)
    ),
    used AS (
      INSERT INTO deleted_usage (tenant_id, started_at, tokens)
      SELECT i.tenant_id, i.started_at, i.input_tokens + i.output_tokens FROM interactions i
      WHERE i.chat_uid = (SELECT uid FROM idle) AND i.started_at > clock_timestamp() - interval '${USAGE_KEPT}'
    ),
    used_by_day AS (
      INSERT INTO deleted_usage_days AS d (day, tenant_id, model, user_id, interactions, model_interactions,
        input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_tokens)
      SELECT ${STARTED_ON} AS day, i.tenant_id, m.model, i.started_by, sum(m.interactions), sum(m.model_interactions),
        sum(m.input_tokens), sum(m.output_tokens), sum(m.cached_tokens), sum(m.cache_write_tokens), sum(m.reasoning_tokens), sum(m.cost_usd), sum(m.unpriced_tokens)
      FROM interactions i CROSS JOIN ${USED_BY_MODEL} WHERE i.chat_uid = (SELECT uid FROM idle) AND i.started_at IS NOT NULL
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (day, tenant_id, model, user_id) DO UPDATE SET interactions = d.interactions + excluded.interactions,
        model_interactions = coalesce(d.model_interactions, d.interactions) + excluded.model_interactions,
        unpriced_tokens = coalesce(d.unpriced_tokens, CASE WHEN d.cost_usd IS NULL THEN d.input_tokens + d.output_tokens ELSE 0 END)
          + excluded.unpriced_tokens,
        input_tokens = d.input_tokens + excluded.input_tokens, output_tokens = d.output_tokens + excluded.output_tokens,
        ${ADDED_IF_THERE}
    ),
    gone AS (UPDATE files SET is_deleted = true WHERE chat_uid = (SELECT uid FROM idle))
    DELETE FROM chats WHERE uid = (SELECT uid FROM idle) RETURNING uid`,
};

const COLUMNS = Object.keys(ChatEntity.options.columns).join(', ');

const CREATE = named({
  name: 'chats.create',
  parameters: NEW_CHAT,
  text: `${INSERT_CHAT} ON CONFLICT DO NOTHING RETURNING uid`,
});

const MESSAGES: Statement = {
  name: 'chats.messages',
  text: 'SELECT messages FROM chats WHERE uid = $1',
};

const FIND = named({
  name: 'chats.find',
  parameters: `id, ${VIEWER}`,
  text: `SELECT ${COLUMNS} FROM chats c WHERE c.tenant_id = :tenant_id AND c.id = :id AND ${isSeen('c')}`,
});

const PAGE = 'tenant_id, limit, before_at, before_id';

/** A page of the chats of a tenant. */
function newest(time: TimeColumn, condition = ''): string {
  return `(SELECT ${COLUMNS} FROM chats WHERE tenant_id = :tenant_id ${condition}
      AND (:before_at::timestamptz IS NULL OR (${time}, id) < (:before_at, :before_id)) ORDER BY ${time} DESC, id DESC LIMIT :limit)`;
}

function newestOfAll(time: TimeColumn) {
  return named({ parameters: PAGE, text: newest(time) });
}

/** The user's own, and those that all of the tenant see: each part is one index range. */
function newestSeen(time: TimeColumn) {
  const shared = newest(time, "AND visibility = 'tenant' AND owner <> :user_id");
  return named({
    parameters: `user_id, ${PAGE}`,
    text: `SELECT * FROM (${newest(time, 'AND owner = :user_id')} UNION ALL ${shared}) seen
    ORDER BY ${time} DESC, id DESC LIMIT :limit`,
  });
}

type TimeColumn = 'created_at' | 'updated_at';

const LIST = { created: newestOfAll('created_at'), updated: newestOfAll('updated_at') };

const LIST_SEEN = { created: newestSeen('created_at'), updated: newestSeen('updated_at') };

/** Each part is one index range of the chat. */
const READ_STATES: Statement = {
  name: 'chats.read_states',
  text: `
    SELECT c.uid, c.id, c.tenant_id, c.owner, c.visibility, c.title, c.updated_at, c.head_interaction_id,
      a.id AS active_interaction_id, a.status AS active_status, h.status AS head_status,
      ARRAY(SELECT q.id FROM interactions q WHERE q.chat_uid = c.uid AND q.${IS_QUEUED} ORDER BY q.queue_rank, q.id) AS queued,
      ARRAY(SELECT q.queue_changes FROM interactions q WHERE q.chat_uid = c.uid AND q.${IS_QUEUED} ORDER BY q.queue_rank, q.id) AS queue_changes,
      ARRAY(SELECT r.id FROM requests r WHERE r.chat_uid = c.uid AND r.status = 'pending'
        ORDER BY r.created_at, r.id LIMIT ${MAX_PENDING}) AS request_ids
    FROM chats c LEFT JOIN interactions a ON a.chat_uid = c.uid AND a.${IS_ACTIVE}
    LEFT JOIN interactions h ON h.id = c.head_interaction_id
    WHERE c.uid = ANY ($1::uuid[])`,
};

const LIST_LIVE: Statement = {
  name: 'chats.list_live',
  text: `
    SELECT DISTINCT i.chat_uid AS uid, 1 AS rank FROM interactions i
    WHERE i.tenant_id = ANY ($1::text[]) AND (i.${IS_ACTIVE} OR i.${IS_QUEUED})
    UNION ALL
    SELECT c.uid, 2 FROM chats c WHERE c.tenant_id = ANY ($1::text[]) AND c.created_at >= $2::timestamptz
    ORDER BY rank, uid LIMIT ${MAX_STATES}`,
};

interface ColumnsOfState extends Omit<ChatState, 'updated_at' | 'status'> {
  readonly updated_at: Date;
  readonly active_status: InteractionStatus | null;
  readonly head_status: InteractionStatus | null;
}

interface ColumnsOfChat extends Omit<ChatRow, 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
}

export class TypeOrmChatStore extends ChatStore {
  /** @param vacuum for a database without autovacuum */
  constructor(
    private readonly db: Database,
    private readonly vacuum?: Vacuum,
  ) {
    super();
  }

  async createChat(chat: NewChat): Promise<boolean> {
    return (await this.db.query(...CREATE(chatValues(chat)))).length > 0;
  }

  async findChat(id: string, viewer: Viewer): Promise<ChatRow | undefined> {
    const [found] = await this.db.query<ColumnsOfChat>(...FIND({ id, ...viewerValues(viewer) }));
    return found && toChatRow(found);
  }

  async findChatByUid(uid: string): Promise<ChatRow | undefined> {
    return (await this.#chats((chats) => chats.findOneBy({ uid }))) ?? undefined;
  }

  async listChats({ viewer, order, limit, before }: ChatListPage): Promise<ChatRow[]> {
    const { tenant_id, user_id, is_admin } = viewer;
    const page = { tenant_id, limit, before_at: before?.at, before_id: before?.id };
    const list = is_admin ? LIST[order](page) : LIST_SEEN[order]({ user_id, ...page });
    return (await this.db.query<ColumnsOfChat>(...list)).map(toChatRow);
  }

  async readStates(uids: readonly string[]): Promise<Map<string, ChatState>> {
    const rows = await this.db.query<ColumnsOfState>(READ_STATES, [uids]);
    return new Map(rows.map((row) => [row.uid, toState(row)]));
  }

  async listLive(tenantIds: readonly string[], since: string): Promise<string[]> {
    const rows = await this.db.query<{ uid: string }>(LIST_LIVE, [tenantIds, since]);
    return [...new Set(rows.map(({ uid }) => uid))];
  }

  async readMessages(uid: string): Promise<readonly Message[]> {
    const [found] = await this.db.query<{ messages: Message[] }>(MESSAGES, [uid]);
    return found?.messages ?? [];
  }

  async updateChat(uid: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    return this.#chats(async (chats) => {
      await chats.update({ uid }, patch as Columns);
      return (await chats.findOneBy({ uid })) ?? undefined;
    });
  }

  async deleteChat(uid: string, before?: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const [found, deleted] = await this.db.longBatch([
      [LOCK_CHAT, [uid]],
      [DELETE_IDLE, [uid, before]],
    ]);
    if (!found?.length) return 'unknown';
    return deleted?.length ? 'deleted' : 'busy';
  }

  async listUntouched({ before, limit, after }: SliceOfChats): Promise<UntouchedChats> {
    const values = [before, limit, after];
    const [slice] = await this.db.query<{ uids: string[]; next: string | null }>(
      LIST_UNTOUCHED,
      values,
    );
    return { uids: slice!.uids, next: slice!.next ?? undefined };
  }

  async removeLeftovers(signal: AbortSignal): Promise<void> {
    if (await outsideTenants(() => removeLeftovers(this.db, signal))) this.vacuum?.request();
  }

  async switchHead(
    uid: string,
    headId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    const [, verdicts] = await this.db.batch<{ known: boolean; switched: boolean }>([
      [LOCK_CHAT, [uid]],
      [SWITCH_HEAD, [uid, headId, at]],
    ]);
    const { known, switched } = verdicts![0]!;
    if (!known) return 'unknown';
    return switched ? 'switched' : 'busy';
  }

  #chats<T>(work: (chats: Repository<ChatRow>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(ChatEntity)));
  }
}

function toChatRow({ created_at, updated_at, ...rest }: ColumnsOfChat): ChatRow {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

function toState({ updated_at, active_status, head_status, ...rest }: ColumnsOfState): ChatState {
  const status = statusOfChat(active_status ?? undefined, rest.queued, head_status ?? undefined);
  return { ...rest, updated_at: updated_at.toISOString(), status };
}
