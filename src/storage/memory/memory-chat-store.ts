import { rm } from 'node:fs/promises';
import type { ChatPatch, ChatRow, NewChat } from '../../persistence/rows/store-rows.js';
import type { ChatDirectory } from './chat-directory.js';
import { deleteChatDirectory, makeChatDirectory } from './chat-directory.js';
import { writeChatFile } from './chat-file.js';
import { syncDirectory } from './durable-files.js';
import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import { newChatRow } from './new-chat-row.js';
import type { SortKey, StoreIndex } from './store-index.js';
import { compareKeys } from './store-index.js';
import { StoredChat } from './stored-chat.js';

/** Chats: a folder and its chat.json each. */
export class FileChats {
  constructor(
    private readonly root: string,
    private readonly index: StoreIndex,
    private readonly mutex: KeyedMutex,
  ) {}

  create(chat: NewChat): Promise<boolean> {
    return this.mutex.run(chat.id, async () => {
      if (this.index.findChat(chat.id)) return false;
      const row = newChatRow(chat);
      await this.make(chat.id, async (directory) => {
        const stored = new StoredChat(directory, row);
        await writeChatFile(stored);
        return stored;
      });
      return true;
    });
  }

  /** Makes the chat's folder, fills it, and shows it once it is on the disk; a failure leaves nothing behind. */
  async make(
    chatId: string,
    fill: (directory: ChatDirectory) => Promise<StoredChat>,
  ): Promise<StoredChat> {
    const directory = await makeChatDirectory(this.root, chatId);
    try {
      const chat = await fill(directory);
      const made = [directory.interactions, directory.path, this.root];
      await Promise.all(made.map(syncDirectory));
      this.index.addChat(chat);
      return chat;
    } catch (error) {
      await rm(directory.path, { recursive: true, force: true });
      throw error;
    }
  }

  /** Newest first. */
  list({ limit, before }: { limit: number; before?: SortKey }): ChatRow[] {
    const all = this.index.newestFirst;
    const from = before ? firstAfter(all, before) : 0;
    return all.slice(from, from + limit).map((chat) => chat.row);
  }

  update(id: string, { title, metadata, updated_at }: ChatPatch): Promise<ChatRow | undefined> {
    return this.mutex.run(id, async () => {
      const chat = this.index.findChat(id);
      if (!chat) return undefined;
      const row: ChatRow = {
        ...chat.row,
        ...(title !== undefined && { title }),
        ...(metadata !== undefined && { metadata }),
        updated_at,
      };
      await writeChatFile({ ...chat.parts, row });
      await syncDirectory(chat.directory.path);
      chat.row = row;
      return row;
    });
  }

  delete(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    return this.mutex.run(id, async () => {
      const chat = this.index.findChat(id);
      if (!chat) return 'unknown';
      if (chat.isBusy) return 'busy';
      await deleteChatDirectory(this.root, chat.directory, () => this.index.removeChat(chat));
      return 'deleted';
    });
  }
}

/** The place of the first chat that is older than `key`, in a list that is newest first. */
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
