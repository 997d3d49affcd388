import type { DataKey } from '../../encryption/data-key.js';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import type { DataKeys } from '../../encryption/data-keys.js';
import { ChatArchive } from '../../persistence/chat-archive.js';
import type {
  ArchivedChat,
  ArchivedEnd,
  ArchivedInteraction,
  IncomingChat,
  ReceivedChat,
} from '../../persistence/chat-archive.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { ChatKeys } from './chat-keys.js';
import { sealChat } from './encrypted-chat-store.js';
import { sealFile } from './files/encrypted-file-catalog.js';
import { openInteractions } from './encrypted-interaction-store.js';
import { sealRequest } from './encrypted-record-store.js';
import { sealSettlement } from './encrypted-request-store.js';
import { sealInteraction, sealMessages } from './sealed/sealed-interaction.js';
import { sealRecord } from './sealed/sealed-records.js';

/** Whole chats of another store, encrypted there. */
export class EncryptedChatArchive extends ChatArchive {
  constructor(
    private readonly inner: ChatArchive,
    private readonly keys: ChatKeys,
  ) {
    super();
  }

  async listInteractions(
    chatUid: string,
    page: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]> {
    return openInteractions(this.keys, await this.inner.listInteractions(chatUid, page));
  }

  findLastInteractionId(chatUid: string): Promise<string | undefined> {
    return this.inner.findLastInteractionId(chatUid);
  }

  async receive(chat: ReceivedChat): Promise<IncomingChat> {
    return new EncryptedIncomingChat(await this.inner.receive(chat), this.keys.data, chat);
  }
}

/** Its key is saved when the chat is complete; the bytes of its files need it before. */
class EncryptedIncomingChat implements IncomingChat {
  private readonly key: DataKey;
  private readonly wrapped: WrappedKey;

  constructor(
    private readonly inner: IncomingChat,
    private readonly keys: DataKeys,
    chat: ReceivedChat,
  ) {
    const { key, wrapped } = keys.forNewChat(chat);
    this.key = keys.remember(key);
    this.wrapped = wrapped;
  }

  async append(row: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    const { key } = this;
    const sealed = records.map((record) => sealRecord(key, record));
    await this.inner.append(sealInteraction(key, row), sealed);
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    const { key } = this;
    await this.inner.end(sealInteraction(key, row), {
      requests: requests.map((request) => ({
        ...sealRequest(key, request),
        settlement: sealSettlement(key, request.id, request.settlement),
      })),
      added_messages: sealMessages(key, row.id, added_messages),
    });
  }

  async commit(chat: ArchivedChat): Promise<boolean> {
    const { key, wrapped } = this;
    const files = chat.files?.map((file) => sealFile(key, file)) ?? [];
    const isCreated = await this.inner.commit({ ...sealChat(key, chat), files }, wrapped);
    if (!isCreated) this.keys.forget(key.id);
    return isCreated;
  }

  discard(): Promise<void> {
    this.keys.forget(this.key.id);
    return this.inner.discard();
  }
}
