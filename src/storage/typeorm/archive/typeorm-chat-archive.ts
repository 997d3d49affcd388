import { randomUUID } from 'node:crypto';
import { ChatArchive } from '../../../persistence/chat-archive.js';
import type { ArchivedInteraction, IncomingChat } from '../../../persistence/chat-archive.js';
import { LAST_ARCHIVED, LIST_ARCHIVED, RECEIVE, SWEEP_INCOMING } from './archive-statements.js';
import type { Database } from '../connection/database.js';
import { toInteractionRow } from '../interactions/interaction-row.js';
import type { ColumnsOfInteraction } from '../interactions/interaction-row.js';
import { IncomingRows } from './incoming-rows.js';

type Columns = ColumnsOfInteraction & { readonly begun: boolean };

/** Whole chats in Postgres, on a server or embedded. */
export class TypeOrmChatArchive extends ChatArchive {
  constructor(private readonly db: Database) {
    super();
  }

  async listInteractions(
    chatId: string,
    { limit, after = '' }: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]> {
    const rows = await this.db.query<Columns>(LIST_ARCHIVED, [chatId, after, limit]);
    return rows.map((row) => ({ ...toInteractionRow(row), begun: row.begun }));
  }

  async findLastInteractionId(chatId: string): Promise<string | undefined> {
    const [last] = await this.db.query<{ id: string }>(LAST_ARCHIVED, [chatId]);
    return last?.id;
  }

  async receive(): Promise<IncomingChat> {
    const id = randomUUID();
    await this.db.batch([
      [SWEEP_INCOMING, []],
      [RECEIVE, [id]],
    ]);
    return new IncomingRows(this.db, id);
  }
}
