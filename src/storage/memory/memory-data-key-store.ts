import { DataKeyStore, SAMPLES_OF_KEY } from '../../encryption/data-key-store.js';
import type { KeyOfChat, OwnedKey, WrappedKey } from '../../encryption/data-key-store.js';
import type { StoreCore } from './core/store-core.js';
import type { StoredChat } from './core/stored-chat.js';

/** The keys of tenants, and how they are saved. */
export class TenantKeys {
  protected keys: ReadonlyMap<string, WrappedKey> = new Map();

  get all(): ReadonlyMap<string, WrappedKey> {
    return this.keys;
  }

  async set(tenantId: string, key: WrappedKey): Promise<void> {
    this.keys = new Map([...this.keys, [tenantId, key]]);
  }
}

export class MemoryDataKeyStore extends DataKeyStore {
  constructor(
    private readonly core: StoreCore,
    private readonly tenants: TenantKeys,
  ) {
    super();
  }

  async findOfChats(chatUids: readonly string[]): Promise<KeyOfChat[]> {
    return chatUids.flatMap((uid) => {
      const chat = this.core.index.findChat(uid);
      const found = chat && { chat_uid: uid, tenant_id: chat.row.tenant_id };
      return found ? { ...found, key: chat.dataKey ?? null } : [];
    });
  }

  giveToChat(chatUid: string, key: WrappedKey): Promise<WrappedKey | undefined> {
    return this.onChat(chatUid, async (chat) => {
      if (!chat.dataKey) await saveKey(chat, key);
      return chat.dataKey;
    });
  }

  async findOfTenant(tenantId: string): Promise<WrappedKey | undefined> {
    return this.tenants.all.get(tenantId);
  }

  giveToTenant(tenantId: string, key: WrappedKey): Promise<WrappedKey> {
    return this.onTenants(async () => {
      const known = this.tenants.all.get(tenantId);
      if (!known) await this.tenants.set(tenantId, key);
      return known ?? key;
    });
  }

  async listSamples(): Promise<OwnedKey[]> {
    const seen = new Map<string, number>();
    return this.all().filter(({ master_key_id, chat_uid }) => {
      const kind = `${chat_uid === null ? 'tenants' : 'chats'} ${master_key_id}`;
      const count = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, count);
      return count <= SAMPLES_OF_KEY;
    });
  }

  async listOthers(masterKeyId: string, limit: number): Promise<OwnedKey[]> {
    return this.all()
      .filter(({ master_key_id }) => master_key_id !== masterKeyId)
      .slice(0, limit);
  }

  async replace({ tenant_id, chat_uid, wrapped }: OwnedKey, after: WrappedKey): Promise<boolean> {
    const replaced =
      chat_uid === null
        ? this.onTenants(async () => {
            if (this.tenants.all.get(tenant_id)?.wrapped !== wrapped) return false;
            await this.tenants.set(tenant_id, after);
            return true;
          })
        : this.onChat(chat_uid, async (chat) => {
            if (chat.dataKey?.wrapped !== wrapped) return false;
            await saveKey(chat, after);
            return true;
          });
    return (await replaced) ?? false;
  }

  private all(): OwnedKey[] {
    const ofChats = [...this.core.index.chats].flatMap(({ uid, row, dataKey }) =>
      dataKey ? { ...dataKey, tenant_id: row.tenant_id, chat_uid: uid } : [],
    );
    const ofTenants = [...this.tenants.all].map(([tenant_id, key]) => {
      return { ...key, tenant_id, chat_uid: null };
    });
    return [...ofChats, ...ofTenants];
  }

  private async onChat<T>(
    uid: string,
    task: (chat: StoredChat) => Promise<T>,
  ): Promise<T | undefined> {
    const { index, mutex } = this.core;
    const chat = index.findChat(uid);
    return chat && mutex.run(chat.key, async () => (index.findChat(uid) ? task(chat) : undefined));
  }

  private onTenants<T>(task: () => Promise<T>): Promise<T> {
    return this.core.mutex.run('tenant keys', task);
  }
}

async function saveKey(chat: StoredChat, key: WrappedKey): Promise<void> {
  const before = chat.dataKey;
  chat.dataKey = key;
  try {
    await chat.save();
  } catch (error) {
    if (before) chat.dataKey = before;
    else delete chat.dataKey;
    throw error;
  }
}
