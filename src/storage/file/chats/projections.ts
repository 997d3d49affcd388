import type { KeyedMutex } from '../../../kernel/async/keyed-mutex.js';
import type { ChangedParts } from '../../memory/core/journal.js';
import type { StoreIndex } from '../../memory/core/store-index.js';
import type { StoredChat } from '../../memory/core/stored-chat.js';
import type { ChatDirectory } from '../log/chat-directory.js';
import {
  collectRequests,
  writeChatFile,
  writeProjection,
  writeRequestsFile,
} from './chat-files.js';
import type { WriteBehind } from './write-behind.js';

/**
 * Keeps the human-readable files up to date with the logs. No caller waits for them; a start brings
 * them up to date.
 */
export class Projections {
  constructor(
    private readonly index: StoreIndex,
    private readonly mutex: KeyedMutex,
    private readonly behind: WriteBehind,
  ) {}

  refresh(
    directory: ChatDirectory,
    chatUid: string,
    { chat, interactions = [], requests }: ChangedParts,
  ): void {
    if (chat)
      this.schedule(`chat ${chatUid}`, chatUid, (each) =>
        writeChatFile(directory, each.snapshot()),
      );
    for (const id of interactions)
      this.schedule(`interaction ${id}`, chatUid, async (each) => {
        const interaction = each.find(id);
        if (interaction) await writeProjection(directory, interaction);
      });
    if (requests)
      this.behind.schedule(`requests ${chatUid}`, () => this.refreshRequests(directory, chatUid));
  }

  /**
   * Reading may take long, so writers don't wait for it. Changes made meanwhile have scheduled the
   * next refresh.
   */
  private async refreshRequests(directory: ChatDirectory, chatUid: string): Promise<void> {
    const chat = this.index.findChat(chatUid);
    if (!chat) return;
    const isThere = () => this.index.findChat(chatUid) === chat;
    const file = await collectRequests(directory, chat).catch((error: unknown) => {
      if (isThere()) throw error;
    });
    await this.mutex.run(chat.key, async () => {
      if (file && isThere()) await writeRequestsFile(directory, file);
    });
  }

  private schedule(key: string, chatUid: string, task: (chat: StoredChat) => Promise<void>): void {
    this.behind.schedule(key, async () => {
      const chat = this.index.findChat(chatUid);
      await (chat &&
        this.mutex.run(chat.key, () => {
          if (this.index.findChat(chatUid) === chat) return task(chat);
        }));
    });
  }
}
