import type { DataKeys } from '../../encryption/data-keys.js';
import { ChatArchive } from '../../persistence/chat-archive.js';
import type {
  ArchivedChat,
  ArchivedEnd,
  ArchivedInteraction,
  IncomingChat,
} from '../../persistence/chat-archive.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { ChatKeys } from './chat-keys.js';
import { sealChat } from './encrypted-chat-store.js';
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

  async receive(): Promise<IncomingChat> {
    return new EncryptedIncomingChat(await this.inner.receive(), this.keys.data);
  }
}

/** Its key is saved when the chat is complete. */
class EncryptedIncomingChat implements IncomingChat {
  private made: ReturnType<DataKeys['forNewChat']> | undefined;

  constructor(
    private readonly inner: IncomingChat,
    private readonly keys: DataKeys,
  ) {}

  async append(row: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    const { key } = this.keyOf(row);
    const sealed = records.map((record) => sealRecord(key, record));
    await this.inner.append(sealInteraction(key, row), sealed);
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    const { key } = this.keyOf(row);
    await this.inner.end(sealInteraction(key, row), {
      requests: requests.map((request) => ({
        ...sealRequest(key, request),
        settlement: sealSettlement(key, request.id, request.settlement),
      })),
      added_messages: sealMessages(key, row.id, added_messages),
    });
  }

  async commit(chat: ArchivedChat): Promise<boolean> {
    const { uid: chat_uid, tenant_id } = chat;
    const { key, wrapped } = this.keyOf({ chat_uid, tenant_id });
    const isCreated = await this.inner.commit(sealChat(key, chat), wrapped);
    if (isCreated) this.keys.remember(key);
    return isCreated;
  }

  discard(): Promise<void> {
    return this.inner.discard();
  }

  private keyOf({ chat_uid: uid, tenant_id }: Pick<InteractionRow, 'chat_uid' | 'tenant_id'>) {
    return (this.made ??= this.keys.forNewChat({ uid, tenant_id }));
  }
}
