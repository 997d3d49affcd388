import { decryptionFailed } from '../../encryption/data-key.js';
import type { DataKey } from '../../encryption/data-key.js';
import { isUnreadable, nameUnreadable, UNREADABLE } from '../../encryption/unreadable.js';
import type { AppError } from '../../kernel/app-error.js';
import { ChatStore } from '../../persistence/chat.store.js';
import type { ChatListPage, SliceOfChats, UntouchedChats } from '../../persistence/chat.store.js';
import type { ChatState } from '../../persistence/rows/chat-state.js';
import type { ChatPatch, ChatRow, NewChat } from '../../persistence/rows/chat-rows.js';
import type { Message } from '../../protocol/message.js';
import type { Viewer } from '../../persistence/viewer.js';
import type { ChatKeys } from './chat-keys.js';
import { openEach } from './open-each.js';
import { openMessages, sealMessages } from './sealed/sealed-interaction.js';
import { keyIdOf, openJson, openText, sealOptional } from './sealed/sealed-fields.js';

const SEALED_FIELDS = ['title', 'preview', 'settings', 'metadata'] as const;

/** Chats in another store, encrypted. */
export class EncryptedChatStore extends ChatStore {
  constructor(
    private readonly inner: ChatStore,
    private readonly keys: ChatKeys,
  ) {
    super();
  }

  async createChat(chat: NewChat): Promise<boolean> {
    const { key, wrapped: data_key } = this.keys.data.forNewChat(chat);
    const isCreated = await this.inner.createChat({ ...sealChat(key, chat), data_key });
    if (isCreated) this.keys.data.remember(key);
    return isCreated;
  }

  async findChat(id: string, viewer: Viewer): Promise<ChatRow | undefined> {
    return this.openFound(await this.inner.findChat(id, viewer));
  }

  async findChatByUid(uid: string): Promise<ChatRow | undefined> {
    return this.openFound(await this.inner.findChatByUid(uid));
  }

  async listChats(page: ChatListPage): Promise<ChatRow[]> {
    const rows = await this.inner.listChats(page);
    return openEach(rows, { open: (some) => this.open(some), withoutTexts });
  }

  async readStates(uids: readonly string[]): Promise<Map<string, ChatState>> {
    const states = [...(await this.inner.readStates(uids)).values()];
    const opened = await openEach(states, {
      open: (some) => this.openTitles(some),
      withoutTexts: (state) => ({ ...state, title: UNREADABLE }),
    });
    return new Map(opened.map((state) => [state.uid, state]));
  }

  listLive(tenantIds: readonly string[], since: string): Promise<string[]> {
    return this.inner.listLive(tenantIds, since);
  }

  async readMessages(uid: string): Promise<readonly Message[]> {
    const messages = await this.inner.readMessages(uid);
    return openMessages(await this.keys.load(messages.map(keyIdOf)), messages);
  }

  async updateChat(uid: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    const key = await this.keys.data.ofChat(uid);
    return key && this.openFound(await this.inner.updateChat(uid, sealChat(key, patch)));
  }

  async deleteChat(uid: string, before?: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const outcome = await this.inner.deleteChat(uid, before);
    if (outcome === 'deleted') this.keys.data.forget(uid);
    return outcome;
  }

  listUntouched(slice: SliceOfChats): Promise<UntouchedChats> {
    return this.inner.listUntouched(slice);
  }

  removeLeftovers(signal: AbortSignal): Promise<void> {
    return this.inner.removeLeftovers(signal);
  }

  switchHead(
    chatUid: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    return this.inner.switchHead(chatUid, interactionId, at);
  }

  private async openTitles(states: readonly ChatState[]): Promise<ChatState[]> {
    const keys = await this.keys.load(states.map(({ title }) => keyIdOf(title)));
    return states.map((state) => {
      return { ...state, title: openText(keys, state.title, [state.uid, 'title']) };
    });
  }

  private async openFound(row: ChatRow | undefined): Promise<ChatRow | undefined> {
    if (!row) return undefined;
    try {
      return (await this.open([row]))[0];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return this.openFields(row);
    }
  }

  /** Field for field: access to a chat, and its deletion, need none of them. */
  private async openFields(row: ChatRow): Promise<ChatRow> {
    let found = withoutTexts(row);
    for (const field of SEALED_FIELDS)
      try {
        const [opened] = await this.open([{ ...withoutTexts(row), [field]: row[field] }]);
        found = { ...found, [field]: opened![field] };
      } catch (error) {
        nameUnreadable(row.id, error);
        if (field === 'settings' || field === 'metadata')
          found = { ...found, unreadable: error as AppError };
      }
    return found;
  }

  private async open(rows: readonly ChatRow[]): Promise<ChatRow[]> {
    for (const row of rows)
      if (SEALED_FIELDS.some((field) => (keyIdOf(row[field]) ?? row.uid) !== row.uid))
        throw decryptionFailed([row.uid, 'uid']);
    const keys = await this.keys.load(
      rows.flatMap((row) => SEALED_FIELDS.map((field) => keyIdOf(row[field]))),
    );
    return rows.map((row) => ({
      ...row,
      title: openText(keys, row.title, [row.uid, 'title']),
      preview: openText(keys, row.preview, [row.uid, 'preview']),
      settings: openJson(keys, row.settings, [row.uid, 'settings']),
      metadata: openJson(keys, row.metadata, [row.uid, 'metadata']),
    }));
  }
}

function withoutTexts(row: ChatRow): ChatRow {
  return { ...row, title: UNREADABLE, preview: null, settings: {}, metadata: {} };
}

export function sealChat<C extends ChatPatch | NewChat | ChatRow>(key: DataKey, chat: C): C {
  const { title, settings, metadata } = chat;
  const preview = 'preview' in chat ? chat.preview : undefined;
  const messages = 'messages' in chat ? (chat.messages ?? []) : [];
  return {
    ...chat,
    ...(typeof title === 'string' && { title: key.seal(title, [key.id, 'title']) }),
    ...(typeof preview === 'string' && { preview: key.seal(preview, [key.id, 'preview']) }),
    ...(settings && { settings: sealOptional(key, settings, [key.id, 'settings']) }),
    ...(messages.length > 0 && { messages: sealMessages(key, key.id, messages) }),
    ...(metadata && { metadata: sealOptional(key, metadata, [key.id, 'metadata']) }),
  };
}
