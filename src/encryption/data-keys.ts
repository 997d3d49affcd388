import { AppError } from '../kernel/app-error.js';
import { BoundedMap } from '../kernel/bounded-map.js';
import type { DataKey } from './data-key.js';
import type { DataKeyStore, KeyOfChat, WrappedKey } from './data-key-store.js';
import { MasterKeys, tenantKeyId, tenantOfKey } from './master-keys.js';

/** Data keys in memory; the others are read again. */
const CACHE_SIZE = 20_000;
const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The data keys of chats and tenants. Those in use are in memory, so that it is one lookup. */
export class DataKeys {
  private readonly kept = new BoundedMap<string, DataKey>(CACHE_SIZE);

  constructor(
    private readonly masters: MasterKeys,
    private readonly store: DataKeyStore,
  ) {}

  /** The key if it is in memory; one that is in use stays there. */
  peek(id: string): DataKey | undefined {
    const kept = this.kept.get(id);
    return kept && this.remember(kept);
  }

  /** The key of a chat, which gets one if it has none. Undefined: the chat does not exist. */
  async ofChat(chatUid: string): Promise<DataKey | undefined> {
    const kept = this.kept.get(chatUid);
    if (kept) return kept;
    const [found] = await this.store.findOfChats([chatUid]);
    if (!found) return undefined;
    if (found.key) return this.keep(found, found.key);
    const { wrapped } = this.masters.make(found);
    const given = await this.store.giveToChat(chatUid, wrapped);
    return given && this.keep(found, given);
  }

  /** The key of a tenant, for what belongs to no chat. */
  async ofTenant(tenant_id: string): Promise<DataKey> {
    const found = await this.findOfTenant(tenant_id);
    if (found) return found;
    const owner = { tenant_id, chat_uid: null };
    const given = await this.store.giveToTenant(tenant_id, this.masters.make(owner).wrapped);
    return this.remember(this.masters.unwrap({ ...owner, ...given }));
  }

  /** A key for a chat that is to be created with it; `remember` it afterwards. */
  forNewChat(chat: { readonly uid: string; readonly tenant_id: string }): {
    readonly key: DataKey;
    readonly wrapped: WrappedKey;
  } {
    return this.masters.make({ chat_uid: chat.uid, tenant_id: chat.tenant_id });
  }

  remember(key: DataKey): DataKey {
    this.kept.set(key.id, key);
    return key;
  }

  forget(id: string): void {
    this.kept.delete(id);
  }

  /**
   * The keys of these ids, which texts name that were read.
   * @throws AppError `chat_not_found` if the chat was deleted meanwhile, `data_key_missing`
   */
  async load(ids: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const keys = new Map<string, DataKey>();
    const others: string[] = [];
    for (const id of new Set(ids)) {
      const kept = this.kept.get(id);
      if (kept) keys.set(id, kept);
      else others.push(id);
    }
    for (const key of others.length > 0 ? await this.read(others) : []) keys.set(key.id, key);
    return keys;
  }

  private async read(ids: readonly string[]): Promise<DataKey[]> {
    const uids = ids.filter((id) => UID.test(id));
    const found = uids.length > 0 ? await this.store.findOfChats(uids) : [];
    const read = found.flatMap((chat) => (chat.key ? this.keep(chat, chat.key) : []));
    for (const id of ids) {
      const tenant_id = tenantOfKey(id);
      const key = tenant_id === undefined ? undefined : await this.findOfTenant(tenant_id);
      if (key) read.push(key);
    }
    const lost = ids.find((id) => !read.some((key) => key.id === id));
    if (lost === undefined) return read;
    const isDeleted = UID.test(lost) && !found.some(({ chat_uid }) => chat_uid === lost);
    throw isDeleted
      ? new AppError('not_found', 'chat_not_found', 'The chat was deleted.')
      : new AppError('internal', 'data_key_missing', 'The data key of saved data is missing.');
  }

  private async findOfTenant(tenant_id: string): Promise<DataKey | undefined> {
    const kept = this.kept.get(tenantKeyId(tenant_id));
    const found = kept ? undefined : await this.store.findOfTenant(tenant_id);
    if (!found) return kept;
    return this.remember(this.masters.unwrap({ tenant_id, chat_uid: null, ...found }));
  }

  private keep({ chat_uid, tenant_id }: KeyOfChat, wrapped: WrappedKey): DataKey {
    return this.remember(this.masters.unwrap({ chat_uid, tenant_id, ...wrapped }));
  }
}
