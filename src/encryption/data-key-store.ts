/** A data key, encrypted with a master key of that id, in base64. */
export interface WrappedKey {
  readonly master_key_id: string;
  readonly wrapped: string;
}

/** The owner of a data key: a chat, or (`chat_uid` null) a tenant, for what belongs to no chat. */
export interface KeyOwner {
  readonly tenant_id: string;
  readonly chat_uid: string | null;
}

export function nameOfOwner({ chat_uid, tenant_id }: KeyOwner): string {
  return chat_uid === null ? `the tenant ${tenant_id}` : `the chat ${chat_uid}`;
}

export interface OwnedKey extends KeyOwner, WrappedKey {}

/** A chat and its key; null: it was created without encryption. */
export interface KeyOfChat {
  readonly chat_uid: string;
  readonly tenant_id: string;
  readonly key: WrappedKey | null;
}

/** More than one, as a data key may be damaged. */
export const SAMPLES_OF_KEY = 5;

/**
 * Port: the data keys, wrapped. The key of a new chat is saved with the chat (`NewChat.data_key`),
 * and every key of a chat is deleted with it, in the same transaction.
 */
export abstract class DataKeyStore {
  /** Chats that don't exist are left out. */
  abstract findOfChats(chatUids: readonly string[]): Promise<KeyOfChat[]>;
  /** Gives the chat a key unless it has one. Its key then; undefined: the chat does not exist. */
  abstract giveToChat(chatUid: string, key: WrappedKey): Promise<WrappedKey | undefined>;
  abstract findOfTenant(tenantId: string): Promise<WrappedKey | undefined>;
  /** Gives the tenant a key unless it has one. Its key then. */
  abstract giveToTenant(tenantId: string, key: WrappedKey): Promise<WrappedKey>;
  /** Up to `SAMPLES_OF_KEY` of chats, and as many of tenants, for each master key in use. */
  abstract listSamples(): Promise<OwnedKey[]>;
  /** Keys that another master key than this one has wrapped. */
  abstract listOthers(masterKeyId: string, limit: number): Promise<OwnedKey[]>;
  /** Compare-and-set: false if the owner has another wrapped key by now, or is gone. */
  abstract replace(before: OwnedKey, after: WrappedKey): Promise<boolean>;
}
