import { KeyedMutex } from '../../../kernel/async/keyed-mutex.js';
import { InteractionStore } from '../../../persistence/interaction.store.js';
import type {
  FinalState,
  InteractionListPage,
  RunListPage,
} from '../../../persistence/interaction.store.js';
import type { AnyViewer, Viewer } from '../../../persistence/viewer.js';
import type { InteractionKey, InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type {
  IdempotencyKey,
  QueuedChange,
  QueuedOutcome,
  RetryInteraction,
  RetryOutcome,
  StartInteraction,
  StartOutcome,
  UsedKey,
} from '../../../persistence/rows/start-rows.js';
import { inSeenChat, isSeen, viewerValues, VIEWER } from '../viewer-sql.js';
import { changeQueued } from './change-queued.js';
import { promoteQueued } from './promote.js';
import { retryInteraction } from './retry-interaction.js';
import { startInteraction } from './start-interaction.js';
import type { Message } from '../../../protocol/message.js';
import type { Database } from '../connection/database.js';
import { named } from '../named-statement.js';
import {
  LAST_BEGUN,
  LIST_ACTIVE,
  LIST_ALL,
  LIST_BEGUN,
  LIST_RUN_IDS,
  LIST_RUNS,
} from './interaction-lists.js';
import type { ColumnsOfInteraction } from './interaction-row.js';
import {
  CANCELLED,
  findInteraction,
  SELECT_INTERACTIONS,
  toInteractionRow,
} from './interaction-row.js';
import type { Row, Statement } from '../connection/database.js';
import { IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/** Uses two indexes `…_by_agent`; the second contains only the starts of child agents. */
const FIND_OF_AGENT = named({
  name: 'interactions.find_of_agent',
  parameters: `agent_id, ${VIEWER}`,
  text: `${SELECT_INTERACTIONS} WHERE i.id = coalesce(
      (SELECT id FROM interactions WHERE agent_id = :agent_id LIMIT 1),
      (SELECT interaction_id FROM records WHERE agent_id = :agent_id AND type = 'AGENT_STARTED' LIMIT 1))
    AND ${inSeenChat('i')}`,
});

const FIND_BY_KEY = named({
  name: 'interactions.find_by_key',
  parameters: `chat_id, key, ${VIEWER}`,
  text: `SELECT i.id, i.idempotency_fingerprint AS fingerprint FROM chats c JOIN interactions i ON i.chat_uid = c.uid
    WHERE c.tenant_id = :tenant_id AND c.id = :chat_id AND i.idempotency_key = :key AND ${isSeen('c')}`,
});

const FIND_ACTIVE: Statement = {
  name: 'interactions.find_active',
  text: `${SELECT_INTERACTIONS} WHERE i.chat_uid = $1 AND i.${IS_ACTIVE}`,
};

/** Only queued interactions have a rank. */
const LIST_UNFINISHED: Statement = {
  name: 'interactions.list_unfinished',
  text: `${SELECT_INTERACTIONS} WHERE i.chat_uid = $1 AND (i.${IS_ACTIVE} OR i.${IS_QUEUED}) ORDER BY i.queue_rank NULLS FIRST, i.id`,
};

const CHAT_OF = 'chats WHERE uid = (SELECT chat_uid FROM interactions WHERE id = $1)';

/** The messages of the chat come first. */
const ANCESTORS_ADDED: Statement = {
  text: `
    WITH RECURSIVE ancestors AS (
      SELECT parent_id AS id, 1 AS distance FROM interactions WHERE id = $1
      UNION ALL
      SELECT i.parent_id, a.distance + 1 FROM ancestors a JOIN interactions i ON i.id = a.id
    )
    SELECT messages AS added_messages, NULL AS distance FROM ${CHAT_OF}
    UNION ALL
    SELECT i.added_messages, a.distance FROM ancestors a JOIN interactions i ON i.id = a.id
    WHERE i.added_messages IS NOT NULL ORDER BY distance DESC NULLS FIRST`,
};

/** Follows the parents only as far as the bytes go. */
const BRANCH = `
    WITH RECURSIVE line AS (
      SELECT id, parent_id, 1 AS distance, added_bytes::bigint
        + (SELECT octet_length(messages::text) - 2 FROM ${CHAT_OF}) AS total FROM interactions WHERE id = $1 AND added_bytes IS NOT NULL
      UNION ALL
      SELECT p.id, p.parent_id, l.distance + 1, l.total + coalesce(p.added_bytes, 0) FROM line l CROSS JOIN LATERAL (
        SELECT id, parent_id, added_bytes FROM interactions WHERE id = l.parent_id OFFSET 0
      ) p WHERE l.total <= $2
    ),
    whole AS (SELECT max(total)::integer AS total FROM line HAVING max(total) <= $2)`;

const HAS_FINAL_STATE: Statement = { text: `${BRANCH} SELECT total FROM whole` };

/** Reads no messages if they have too many bytes. */
const FINAL_STATE: Statement = {
  text: `${BRANCH}
    SELECT NULL AS id, c.messages AS added_messages, w.total, NULL AS distance FROM whole w CROSS JOIN (SELECT messages FROM ${CHAT_OF}) c
    UNION ALL
    SELECT l.id, i.added_messages, w.total, l.distance FROM whole w CROSS JOIN line l CROSS JOIN LATERAL (
      SELECT added_messages FROM interactions WHERE id = l.id AND added_messages IS NOT NULL OFFSET 0
    ) i ORDER BY distance DESC NULLS FIRST`,
};

const ADDED: Statement = {
  text: 'SELECT id, added_messages FROM interactions WHERE id = ANY ($1::text[]) AND added_messages IS NOT NULL',
};

/**
 * A queued interaction will never begin: its parent becomes the head of its chat, unless it is an
 * edit, which has a parent.
 */
const CANCEL = named({
  name: 'interactions.cancel',
  parameters: 'id, tenant_id, cancel_reason, user_id',
  text: `UPDATE interactions i SET ${CANCELLED},
      parent_id = CASE WHEN i.${IS_QUEUED} AND i.edited_from IS NULL
        THEN coalesce(i.parent_id, (SELECT c.head_interaction_id FROM chats c WHERE c.uid = i.chat_uid)) ELSE i.parent_id END
    WHERE i.id = :id AND i.tenant_id = :tenant_id AND (i.${IS_ACTIVE} OR i.${IS_QUEUED})`,
});

const FIND_IN_TENANT: Statement = {
  name: 'interactions.find_in_tenant',
  text: `${SELECT_INTERACTIONS} WHERE i.id = $1 AND i.tenant_id = $2`,
};

interface Added {
  readonly id: string;
  readonly added_messages: Message[];
}

export class TypeOrmInteractionStore extends InteractionStore {
  /** By tenant: starts that would wait for each other's quota must not hold all connections. */
  readonly #checked = new KeyedMutex();

  constructor(private readonly db: Database) {
    super();
  }

  startInteraction(start: StartInteraction): Promise<StartOutcome> {
    const { quota, viewer } = start;
    if (!quota) return startInteraction(this.db.runs, start);
    return this.#checked.run(viewer.tenant_id, () => startInteraction(this.db.runs, start));
  }

  retryInteraction(retry: RetryInteraction): Promise<RetryOutcome | undefined> {
    return retryInteraction(this.db, retry);
  }

  async findUsedKey(
    chatId: string,
    key: IdempotencyKey,
    viewer: Viewer,
  ): Promise<UsedKey | undefined> {
    const find = FIND_BY_KEY({ chat_id: chatId, key: key.key, ...viewerValues(viewer) });
    const [seen] = await this.db.query<{ id: string; fingerprint: string }>(...find);
    if (!seen) return undefined;
    if (seen.fingerprint !== key.fingerprint) return { outcome: 'key_reused' };
    return { outcome: 'repeated', interaction: (await findInteraction(this.db, seen.id, viewer))! };
  }

  promoteQueued(at: string, chatUid?: string): Promise<string[]> {
    return promoteQueued(this.db.runs, at, chatUid);
  }

  findInteraction(id: string, viewer: AnyViewer): Promise<InteractionRow | undefined> {
    return findInteraction(this.db, id, viewer);
  }

  async findInteractionOfAgent(
    agentId: string,
    viewer: AnyViewer,
  ): Promise<InteractionRow | undefined> {
    const find = FIND_OF_AGENT({ agent_id: agentId, ...viewerValues(viewer) });
    const [found] = await this.db.query<ColumnsOfInteraction>(...find);
    return found && toInteractionRow(found);
  }

  async findActiveInteraction(chatUid: string): Promise<InteractionRow | undefined> {
    const [found] = await this.db.query<ColumnsOfInteraction>(FIND_ACTIVE, [chatUid]);
    return found && toInteractionRow(found);
  }

  async listUnfinished(chatUid: string): Promise<InteractionRow[]> {
    const rows = await this.db.query<ColumnsOfInteraction>(LIST_UNFINISHED, [chatUid]);
    return rows.map(toInteractionRow);
  }

  async listBegun(chatUid: string, limit: number, after?: string): Promise<string[]> {
    const list = LIST_BEGUN({ chat_uid: chatUid, limit, after });
    const rows = await this.db.query<{ id: string }>(...list);
    return rows.map(({ id }) => id);
  }

  async findLastBegun(
    chatUid: string,
  ): Promise<Pick<InteractionRow, 'id' | 'last_seq'> | undefined> {
    const [last] = await this.db.query<Pick<InteractionRow, 'id' | 'last_seq'>>(LAST_BEGUN, [
      chatUid,
    ]);
    return last;
  }

  async listRuns({ bytes, ...page }: RunListPage): Promise<InteractionRow[]> {
    const list = LIST_RUNS({ ...runValues(page), bytes });
    const rows = await this.db.query<ColumnsOfInteraction>(...list);
    return rows.map(toInteractionRow);
  }

  async listRunIds(page: Omit<RunListPage, 'bytes'>): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(...LIST_RUN_IDS(runValues(page)));
    return rows.map(({ id }) => id);
  }

  async listInteractions(page: InteractionListPage): Promise<InteractionRow[]> {
    const { chat_uid, superseded, limit, before, bytes } = page;
    const list = superseded ? LIST_ALL : LIST_ACTIVE;
    const step = list({ chat_uid, limit, before, bytes });
    const rows = await this.db.query<ColumnsOfInteraction>(...step);
    return rows.map(toInteractionRow);
  }

  async getPreviousState(id: string): Promise<Message[]> {
    const rows = await this.db.query<Added>(ANCESTORS_ADDED, [id]);
    return rows.flatMap(({ added_messages }) => added_messages);
  }

  async findFinalState(id: string, bytes: number): Promise<FinalState | undefined> {
    const rows = await this.db.query<Added & { total: number }>(FINAL_STATE, [id, bytes]);
    const [first] = rows;
    const parts = rows.map((row) => ({ id: row.id, messages: row.added_messages }));
    return first && { parts, bytes: first.total };
  }

  async hasFinalState(id: string, bytes: number): Promise<boolean> {
    return (await this.db.query(HAS_FINAL_STATE, [id, bytes])).length > 0;
  }

  async findAddedMessages(ids: readonly string[]): Promise<Map<string, Message[]>> {
    const rows = await this.db.query<Added>(ADDED, [ids]);
    return new Map(rows.map(({ id, added_messages }) => [id, added_messages]));
  }

  changeQueued(interaction: InteractionKey, change: QueuedChange): Promise<QueuedOutcome> {
    return changeQueued(this.db.runs, interaction, change);
  }

  /** Two statements, so that the second sees the row for which the first waited. */
  async requestCancel(
    { id, tenant_id }: InteractionKey,
    reason: string,
    userId?: string,
  ): Promise<InteractionRow | undefined> {
    const [, rows] = await this.db.runs.batch<ColumnsOfInteraction & Row>([
      CANCEL({ id, tenant_id, cancel_reason: reason, user_id: userId }),
      [FIND_IN_TENANT, [id, tenant_id]],
    ]);
    const row = rows?.[0];
    return row && toInteractionRow(row);
  }
}

function runValues({ viewer, statuses, chat_uid, limit, after }: RunListPage) {
  const place = { after_at: after?.created_at, after_id: after?.id };
  return { statuses, chat_uid, limit, ...place, ...viewerValues(viewer) };
}
