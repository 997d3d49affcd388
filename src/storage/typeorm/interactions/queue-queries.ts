import { LOCK_CHAT } from './chat-lock.js';
import type { Database } from '../connection/database.js';
import { LIST_PROMOTABLE, PROMOTE } from './promote-statements.js';

/** Begins what waits for its chat, where the end of an interaction didn't. */
export class QueueQueries {
  constructor(private readonly db: Database) {}

  async promote(at: string, chatId?: string): Promise<string[]> {
    if (chatId !== undefined) return this.#promoteIn(chatId, at);
    const promoted: string[] = [];
    for (const { chat_id } of await this.db.query<{ chat_id: string }>(LIST_PROMOTABLE, [])) {
      promoted.push(...(await this.#promoteIn(chat_id, at)));
    }
    return promoted;
  }

  async #promoteIn(chatId: string, at: string): Promise<string[]> {
    const [, begun] = await this.db.batch<{ id: string }>([
      [LOCK_CHAT, [chatId]],
      [PROMOTE, [chatId, at]],
    ]);
    return begun!.map(({ id }) => id);
  }
}
