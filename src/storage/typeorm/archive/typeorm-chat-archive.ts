import { randomUUID } from 'node:crypto';
import { MoreThan } from 'typeorm';
import type { Repository } from 'typeorm';
import { ChatArchive } from '../../../persistence/chat-archive.js';
import type { ArchivedInteraction, IncomingChat } from '../../../persistence/chat-archive.js';
import type { Database } from '../connection/database.js';
import { InteractionEntity } from '../entities/interaction.entity.js';
import type { InteractionColumns } from '../entities/interaction.entity.js';
import { IncomingRows, RECEIVE } from './incoming-chat.js';

/** Whole chats in Postgres, on a server or embedded. */
export class TypeOrmChatArchive extends ChatArchive {
  constructor(private readonly db: Database) {
    super();
  }

  async listInteractions(
    chatUid: string,
    { limit, after = '' }: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]> {
    const rows = await this.#interactions((interactions) =>
      interactions.find({
        where: { chat_uid: chatUid, id: MoreThan(after) },
        order: { id: 'ASC' },
        take: limit,
      }),
    );
    return rows.map(({ queue_rank, ...row }) => ({ ...row, begun: queue_rank === null }));
  }

  async findLastInteractionId(chatUid: string): Promise<string | undefined> {
    const last = await this.#interactions((interactions) =>
      interactions.findOne({
        select: { id: true },
        where: { chat_uid: chatUid },
        order: { id: 'DESC' },
      }),
    );
    return last?.id;
  }

  async receive(): Promise<IncomingChat> {
    const id = randomUUID();
    await this.db.query(RECEIVE, [id]);
    return new IncomingRows(this.db, id);
  }

  #interactions<T>(work: (interactions: Repository<InteractionColumns>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(InteractionEntity)));
  }
}
