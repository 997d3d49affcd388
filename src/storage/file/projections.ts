import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { InteractionLog } from './interaction-log.js';
import { writeChatFile } from './chat-file.js';
import { writeProjection } from './projection.js';
import { collectRequests, writeRequestsFile } from './requests-file.js';
import type { StoreIndex } from './store-index.js';
import type { WriteBehind } from './write-behind.js';

/** Keeps the files that people read up to date with the logs, behind their back: nobody waits for them, and a start after a crash catches up. */
export class Projections {
  constructor(
    private readonly index: StoreIndex,
    private readonly mutex: KeyedMutex,
    private readonly behind: WriteBehind,
  ) {}

  /** Something has begun in the chat, or ended in its queue. */
  refreshChat(chatId: string): void {
    this.schedule(`chat ${chatId}`, chatId, async () => {
      const chat = this.index.findChat(chatId);
      if (chat) await writeChatFile(chat);
    });
  }

  refreshInteraction({ id, known }: InteractionLog): void {
    this.schedule(`interaction ${id}`, known.chat_id, async () => {
      const chat = this.index.findChat(known.chat_id);
      const log = this.index.findLog(id);
      if (chat && log) await writeProjection(chat.directory, log);
    });
  }

  /** Reading may take as long as a chat has requests: writers don't wait for it. What changes meanwhile has scheduled the next. */
  refreshRequests({ known: { chat_id } }: InteractionLog): void {
    this.behind.schedule(`requests ${chat_id}`, async () => {
      const chat = this.index.findChat(chat_id);
      if (!chat) return;
      const isThere = () => this.index.findChat(chat_id) === chat;
      const file = await collectRequests(chat).catch((error: unknown) => {
        if (isThere()) throw error;
      });
      await this.mutex.run(chat_id, async () => {
        if (file && isThere()) await writeRequestsFile(chat.directory, file);
      });
    });
  }

  private schedule(key: string, chatId: string, task: () => Promise<void>): void {
    this.behind.schedule(key, () => this.mutex.run(chatId, task));
  }
}
