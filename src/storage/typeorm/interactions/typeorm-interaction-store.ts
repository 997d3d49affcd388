import { InteractionStore } from '../../../persistence/interaction.store.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { StartInteraction, StartOutcome } from '../../../persistence/rows/store-rows.js';
import { promoteQueued } from './promote.js';
import { startInteraction } from './start-interaction.js';
import type { Message } from '../../../protocol/message.js';
import type { Database } from '../connection/database.js';
import { LIST_ACTIVE, LIST_ALL } from './interaction-lists.js';
import type { ColumnsOfInteraction } from './interaction-row.js';
import {
  FIND_INTERACTION,
  findInteraction,
  SELECT_INTERACTIONS,
  toInteractionRow,
} from './interaction-row.js';
import type { Row, Statement } from '../connection/database.js';
import { IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/** Both indexes are named `…_by_agent`; the second contains only the starts of child agents. */
const FIND_OF_AGENT: Statement = {
  name: 'interactions.find_of_agent',
  text: `${SELECT_INTERACTIONS} WHERE i.id = coalesce(
      (SELECT id FROM interactions WHERE agent_id = $1 LIMIT 1),
      (SELECT interaction_id FROM records WHERE agent_id = $1 AND type = 'AGENT_STARTED' LIMIT 1))`,
};

const FIND_ACTIVE: Statement = {
  name: 'interactions.find_active',
  text: `${SELECT_INTERACTIONS} WHERE i.chat_id = $1 AND i.${IS_ACTIVE}`,
};

/** Only queued interactions have a rank. */
const LIST_UNFINISHED: Statement = {
  name: 'interactions.list_unfinished',
  text: `${SELECT_INTERACTIONS} WHERE i.chat_id = $1 AND (i.${IS_ACTIVE} OR i.${IS_QUEUED}) ORDER BY i.queue_rank NULLS FIRST, i.id`,
};

const ANCESTORS_ADDED: Statement = {
  text: `
    WITH RECURSIVE ancestors AS (
      SELECT parent_id AS id, 1 AS distance FROM interactions WHERE id = $1
      UNION ALL
      SELECT i.parent_id, a.distance + 1 FROM ancestors a JOIN interactions i ON i.id = a.id
    )
    SELECT i.id, i.added_messages FROM ancestors a JOIN interactions i ON i.id = a.id
    WHERE i.added_messages IS NOT NULL ORDER BY a.distance DESC`,
};

const ADDED: Statement = {
  text: 'SELECT id, added_messages FROM interactions WHERE id = ANY ($1::text[]) AND added_messages IS NOT NULL',
};

/**
 * A queued interaction will never begin: its parent becomes the head of its chat, unless it is an
 * edit, which has a parent.
 */
const CANCEL: Statement = {
  name: 'interactions.cancel',
  text: `UPDATE interactions i SET cancel_reason = coalesce(i.cancel_reason, $2), signals = i.signals + 1,
      parent_id = CASE WHEN i.${IS_QUEUED} AND i.edited_from IS NULL
        THEN coalesce(i.parent_id, (SELECT c.head_interaction_id FROM chats c WHERE c.id = i.chat_id)) ELSE i.parent_id END
    WHERE i.id = $1 AND (i.${IS_ACTIVE} OR i.${IS_QUEUED})`,
};

interface Added {
  readonly id: string;
  readonly added_messages: Message[];
}

export class TypeOrmInteractionStore extends InteractionStore {
  constructor(private readonly db: Database) {
    super();
  }

  startInteraction(start: StartInteraction): Promise<StartOutcome> {
    return startInteraction(this.db, start);
  }

  promoteQueued(at: string, chatId?: string): Promise<string[]> {
    return promoteQueued(this.db, at, chatId);
  }

  findInteraction(id: string): Promise<InteractionRow | undefined> {
    return findInteraction(this.db, id);
  }

  async findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined> {
    const [found] = await this.db.query<ColumnsOfInteraction>(FIND_OF_AGENT, [agentId]);
    return found && toInteractionRow(found);
  }

  async findActiveInteraction(chatId: string): Promise<InteractionRow | undefined> {
    const [found] = await this.db.query<ColumnsOfInteraction>(FIND_ACTIVE, [chatId]);
    return found && toInteractionRow(found);
  }

  async listUnfinished(chatId: string): Promise<InteractionRow[]> {
    const rows = await this.db.query<ColumnsOfInteraction>(LIST_UNFINISHED, [chatId]);
    return rows.map(toInteractionRow);
  }

  async listInteractions(page: {
    chat_id: string;
    superseded: boolean;
    limit: number;
    before?: string;
  }): Promise<InteractionRow[]> {
    const { chat_id, superseded, limit, before } = page;
    const statement = superseded ? LIST_ALL : LIST_ACTIVE;
    const values = [chat_id, limit, before];
    const rows = await this.db.query<ColumnsOfInteraction>(statement, values);
    return rows.map(toInteractionRow);
  }

  async getPreviousState(id: string): Promise<Message[]> {
    const rows = await this.db.query<Added>(ANCESTORS_ADDED, [id]);
    return rows.flatMap(({ added_messages }) => added_messages);
  }

  async findAddedMessages(ids: readonly string[]): Promise<Map<string, Message[]>> {
    const rows = await this.db.query<Added>(ADDED, [ids]);
    return new Map(rows.map(({ id, added_messages }) => [id, added_messages]));
  }

  /** Two statements, so that the second sees the row for which the first waited. */
  async requestCancel(id: string, reason: string): Promise<InteractionRow | undefined> {
    const [, rows] = await this.db.batch<ColumnsOfInteraction & Row>([
      [CANCEL, [id, reason]],
      [FIND_INTERACTION, [id]],
    ]);
    const row = rows?.[0];
    return row && toInteractionRow(row);
  }
}
