import { ChatStore } from '../../persistence/chat.store.js';
import { newChatRow } from '../../persistence/interaction-rules.js';
import type { ChatPatch, ChatRow, NewChat } from '../../persistence/rows/store-rows.js';
import type { StoreCore } from './store-core.js';
import type { SortKey } from './store-index.js';
import { compareKeys } from './store-index.js';
import { StoredChat } from './stored-chat.js';

export class MemoryChatStore extends ChatStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  createChat(chat: NewChat): Promise<boolean> {
    const { index, journal, mutex } = this.core;
    return mutex.run(chat.id, async () => {
      if (index.findChat(chat.id)) return false;
      const stored = new StoredChat(newChatRow(chat), journal.chat(chat.id));
      await stored.save();
      index.addChat(stored);
      return true;
    });
  }

  async findChat(id: string): Promise<ChatRow | undefined> {
    return this.core.index.findChat(id)?.row;
  }

  async findUid(id: string): Promise<string | undefined> {
    return this.core.index.findChat(id)?.uid;
  }

  async listChats({ limit, before }: { limit: number; before?: SortKey }): Promise<ChatRow[]> {
    const all = this.core.index.newestFirst;
    const from = before ? firstAfter(all, before) : 0;
    return all.slice(from, from + limit).map(({ row }) => row);
  }

  updateChat(id: string, { title, metadata, updated_at }: ChatPatch): Promise<ChatRow | undefined> {
    return this.change(id, async (chat) => {
      const row: ChatRow = {
        ...chat.row,
        ...(title !== undefined && { title }),
        ...(metadata !== undefined && { metadata }),
        updated_at,
      };
      await chat.save(row);
      return (chat.row = row);
    });
  }

  async deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const outcome = await this.change(id, async (chat) => {
      if (chat.isBusy) return 'busy';
      await chat.journal.remove();
      this.core.index.removeChat(chat);
      await chat.journal.discard();
      return 'deleted';
    });
    return outcome ?? 'unknown';
  }

  /** A deleted chat leaves nothing, or a folder that the next start removes. */
  async removeLeftovers(): Promise<void> {}

  async switchHead(
    chatId: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    const outcome = await this.change(chatId, async (chat) => {
      if (!chat.find(interactionId)?.hasBegun) return 'unknown';
      if (chat.isBusy) return 'busy';
      const row = { ...chat.row, head_interaction_id: interactionId };
      const marks = chat.marksFor(interactionId, at);
      await chat.save(row, marks);
      chat.row = row;
      chat.journal.refresh(chatId, { interactions: chat.mark(marks) });
      return 'switched';
    });
    return outcome ?? 'unknown';
  }

  private change<T>(id: string, task: (chat: StoredChat) => Promise<T>): Promise<T | undefined> {
    return this.core.mutex.run(id, () => {
      const chat = this.core.index.findChat(id);
      return chat && task(chat);
    });
  }
}

/** The index of the first chat that is older than `key`, in a list sorted newest first. */
function firstAfter(chats: readonly StoredChat[], key: SortKey): number {
  let low = 0;
  let high = chats.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(chats[middle]!.row, key) >= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
