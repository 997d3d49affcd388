import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { chatNotFound } from '../access/not-found.js';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { InteractionView } from '../interactions/interaction-view.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { KeyedMutex } from '../kernel/async/keyed-mutex.js';
import { Ids } from '../kernel/ids.js';
import { ChatStore } from '../persistence/chat.store.js';
import type { ChatOrder } from '../persistence/chat.store.js';
import { previewOf } from '../persistence/chat-texts.js';
import { newChatRow } from '../persistence/interaction-rules.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { NO_USAGE } from '../protocol/interaction.js';
import { ChatRedaction } from './chat-redaction.js';
import type { CreateChat, ListChats, ReadChat, UpdateChat } from './chat-request.js';
import { ChatSettingsRules } from './chat-settings-rules.js';
import { readMessages, viewChat } from './chat-view.js';
import { checkMessages } from './check-messages.js';
import { Quotas } from '../quotas/quotas.js';
import { UsageStore } from '../quotas/usage-store.js';
import { MAX_PAGE_BYTES, PAGE_LIMIT, jsonBytes, toPage } from '../kernel/page-cursor.js';
import { requireOwner } from './require-owner.js';
import {
  formatChatCursor,
  formatSearchCursor,
  parseChatCursor,
  parseSearchCursor,
} from './chat-cursor.js';
import { searchChats } from './chat-search.js';
import type { Chat, ChatList } from '../protocol/wire/chat.js';

/** Pages of chats that are read for one user at once; each may be large. */
const PAGES_AT_ONCE = 4;

interface Search {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly order: ChatOrder;
  readonly q: string;
}

/** Creates, lists, shows and changes chats. */
@Injectable()
export class ChatsService {
  private readonly pages = new KeyedMutex();
  private readonly searches = new KeyedMutex();
  private turn = 0;

  constructor(
    private readonly chats: ChatStore,
    private readonly access: ChatAccess,
    private readonly interactions: InteractionStore,
    private readonly view: InteractionView,
    private readonly settings: ChatSettingsRules,
    private readonly redaction: ChatRedaction,
    private readonly quotas: Quotas,
    private readonly usage: UsageStore,
    private readonly bus: LiveBus,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * @throws AppError `chat_exists` (409), `quota_exceeded` (429), and as `ChatSettingsRules`,
   * `checkMessages`
   */
  async create(caller: Principal, given: CreateChat): Promise<Chat> {
    const body = await this.redaction.of(given);
    const { id, title, visibility = 'private', messages = [], metadata } = body;
    const settings = this.settings.ofNew(caller, body);
    const bytes = jsonBytes(messages) + jsonBytes(settings) + jsonBytes(metadata ?? {});
    const chat = {
      uid: this.ids.makeUid(),
      id: id ?? this.ids.make('chat'),
      tenant_id: caller.tenant_id,
      owner: caller.user_id,
      visibility,
      title: title ?? null,
      settings,
      messages: checkMessages(messages),
      created_at: this.clock.now().toISOString(),
      metadata: metadata ?? {},
    };
    const reserved = await this.quotas.reserve(caller.tenant_id, bytes);
    try {
      if (!(await this.chats.createChat(chat))) throw chatExists(chat.id);
      this.quotas.addBytes(chat.tenant_id, bytes);
    } finally {
      reserved.release();
    }
    this.bus.noteChange({ chat_uid: chat.uid, tenant_id: chat.tenant_id });
    await this.audit.note(caller, 'chat.created', { chat_id: chat.id });
    const row = newChatRow(chat);
    const { messages: said } = chat;
    const nothing = { interactions: [], next_before: null, usage: NO_USAGE };
    return { ...viewChat(row, undefined), messages: said, ...nothing };
  }

  async list(
    caller: Principal,
    { limit = PAGE_LIMIT, cursor, order = 'updated', q }: ListChats,
  ): Promise<ChatList> {
    if (q !== undefined) return this.search(caller, { limit, cursor, order, q });
    const before = cursor === undefined ? undefined : parseChatCursor(cursor, order);
    const page = { order, limit: limit + 1, ...(before && { before }) };
    const rows = await this.chats.listChats({ viewer: viewerOf(caller), ...page });
    const states = await this.chats.readStates(rows.map(({ uid }) => uid));
    const items = rows.map((row) => viewChat(row, states.get(row.uid)));
    return toPage(items, limit, (last) => formatChatCursor(last, order));
  }

  /** Searches once at a time for a user: a search may read many chats. */
  private search(caller: Principal, { limit, cursor, order, q }: Search): Promise<ChatList> {
    const after = cursor === undefined ? undefined : parseSearchCursor(cursor, order);
    const before = after && { before: after.before };
    const viewer = viewerOf(caller);
    return this.searches.run(JSON.stringify([viewer.tenant_id, viewer.user_id]), async () => {
      const found = await searchChats(
        this.chats,
        { viewer, order, limit: limit + 1, ...before },
        { q, searched: after?.searched ?? 0 },
      );
      const uids = found.rows.map(({ uid }) => uid);
      const states = await this.chats.readStates(uids);
      const items = found.rows.map((row) => viewChat(row, states.get(row.uid)));
      return toPage(items, limit, (last) =>
        formatSearchCursor(last, order, found.searched.get(uids[items.indexOf(last)]!)!),
      );
    });
  }

  /**
   * With the newest interactions, oldest first.
   * @throws AppError `chat_not_found` (404), `invalid_query` (400) if `before` is not one of its
   * interactions
   */
  async get(caller: Principal, id: string, query: ReadChat): Promise<Chat> {
    const chat = await this.access.chat(caller, id);
    const slot = this.turn++ % PAGES_AT_ONCE;
    const key = JSON.stringify([caller.tenant_id, caller.user_id, slot]);
    return this.pages.run(key, () => this.show(caller, chat, query));
  }

  private async show(caller: Principal, chat: ChatRow, query: ReadChat): Promise<Chat> {
    const { limit = PAGE_LIMIT, before, include, state } = query;
    if (before !== undefined) await this.requireInteraction(caller, chat, before);
    const rows = await this.interactions.listInteractions({
      chat_uid: chat.uid,
      superseded: include === 'superseded',
      limit: limit + 1,
      bytes: MAX_PAGE_BYTES,
      ...(before !== undefined && { before }),
    });
    const items = await this.view.page(rows, { limit, states: state ?? 'fitting' });
    const states = await this.chats.readStates([chat.uid]);
    const next_before = items.length < rows.length ? (items.at(-1)?.id ?? null) : null;
    const summary = viewChat(chat, states.get(chat.uid));
    const messages = await readMessages(this.chats, chat);
    const usage = await this.usage.sumOfChat(chat.uid);
    return { ...summary, messages, interactions: items.reverse(), next_before, usage };
  }

  /**
   * @throws AppError `chat_not_found`, `interaction_not_found` (404), `not_owner` (403),
   * `chat_busy` (409), `quota_exceeded` (429), and as `ChatSettingsRules.changed`
   */
  async update(caller: Principal, id: string, given: UpdateChat): Promise<Chat> {
    const body = await this.redaction.of(given);
    const { title, visibility, settings, metadata, head_interaction_id } = body;
    const changes = { title, visibility, settings, metadata, head_interaction_id };
    const chat = await this.access.chat(caller, id);
    if (Object.values(changes).every((to) => to === undefined)) return this.show(caller, chat, {});
    if (visibility !== undefined) requireOwner(caller, chat);
    const changed = settings && this.settings.changed(caller, chat, settings);
    const bytes = jsonBytes(changed ?? {}) + jsonBytes(metadata ?? {});
    if (changed ?? metadata) await this.quotas.requireBytes(chat.tenant_id, bytes);
    const preview =
      head_interaction_id === undefined
        ? undefined
        : await this.switchHead(caller, chat, head_interaction_id);
    const row = await this.chats.updateChat(chat.uid, {
      ...(preview !== undefined && { preview }),
      ...(visibility !== undefined && { visibility }),
      ...(title !== undefined && { title }),
      ...(changed && { settings: changed }),
      ...(metadata !== undefined && { metadata }),
      updated_at: this.clock.now().toISOString(),
    });
    if (!row) throw chatNotFound(id);
    this.noteChange(chat);
    const fields = Object.entries(changes).flatMap(([field, to]) =>
      to === undefined ? [] : field,
    );
    await this.audit.note(caller, 'chat.updated', { chat_id: row.id, detail: { fields } });
    return this.show(caller, row, {});
  }

  /** `was`: before the change. */
  private noteChange({ uid: chat_uid, tenant_id, id, owner, visibility }: ChatRow): void {
    this.bus.noteChange({ chat_uid, tenant_id, was: { id, owner, visibility } });
  }

  /** Returns the preview of the new branch. */
  private async switchHead(
    caller: Principal,
    { uid, id: chatId }: ChatRow,
    interactionId: string,
  ): Promise<string | null> {
    const at = this.clock.now().toISOString();
    switch (await this.chats.switchHead(uid, interactionId, at)) {
      case 'switched': {
        const head = await this.access.interaction(caller, chatId, interactionId);
        const [shown] = await this.view.page([head], { limit: 1, states: 'none' });
        return previewOf(shown?.answer ?? head.user_message);
      }
      case 'unknown':
        throw new AppError(
          'not_found',
          'interaction_not_found',
          `The chat ${chatId} has no interaction ${interactionId} that has begun. GET /chats/${chatId}?include=superseded lists all.`,
        );
      case 'busy':
        throw new AppError(
          'conflict',
          'chat_busy',
          'The branch can be switched only while no interaction runs or waits. Cancel it, or wait for its end.',
        );
    }
  }

  private async requireInteraction(
    caller: Principal,
    { uid, id }: ChatRow,
    before: string,
  ): Promise<void> {
    const row = await this.interactions.findInteraction(before, viewerOf(caller));
    if (row?.chat_uid === uid) return;
    const message = `must be one of the interactions of the chat ${id}`;
    throw new AppError('invalid', 'invalid_query', `before ${message}.`, {
      errors: [{ field: 'before', message }],
    });
  }
}

function chatExists(id: string): AppError {
  const message = `There is a chat ${id} already. Choose another id, or none: then one is made.`;
  return new AppError('conflict', 'chat_exists', message);
}
