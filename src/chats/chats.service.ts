import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { chatNotFound } from '../access/not-found.js';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { nameUnreadable, UNREADABLE } from '../encryption/unreadable.js';
import { Spill } from '../event-log/spill/spill.js';
import { FilePurge } from '../files/file-purge.js';
import { InteractionView } from '../interactions/interaction-view.js';
import { WaitForEnd } from '../cancellation/wait-for-end.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { KeyedMutex } from '../kernel/keyed-mutex.js';
import { Ids } from '../kernel/ids.js';
import { ConversationCache } from '../persistence/conversation-cache/conversation-cache.js';
import { ChatStore } from '../persistence/chat.store.js';
import { previewOf } from '../persistence/chat-texts.js';
import { newChatRow } from '../persistence/interaction-rules.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { ChatState } from '../persistence/rows/chat-state.js';
import type { ChatRow } from '../persistence/rows/store-rows.js';
import { isFinal } from '../protocol/interaction.js';
import type { Message } from '../protocol/message.js';
import type { Chat, ChatSummary } from '../protocol/interaction.js';
import { Workspaces } from '../workspace/workspaces.js';
import { ChatSettingsRules } from './chat-settings-rules.js';
import { checkMessages } from './check-messages.js';
import type { CreateChatDto } from './dto/create-chat.dto.js';
import { Quotas } from '../quotas/quotas.js';
import { GetChatQueryDto } from './dto/chat-queries.dto.js';
import type { ListChatsQueryDto } from './dto/chat-queries.dto.js';
import type { UpdateChatDto } from './dto/update-chat.dto.js';
import { MAX_PAGE_BYTES, jsonBytes, toPage } from '../http/input/page-cursor.js';
import { formatChatCursor, parseChatCursor } from './chat-cursor.js';
import { Leftovers } from './leftovers.js';

/** Timeout for running interactions to stop before a delete, in milliseconds. */
const STOP_LIMIT_MS = 30_000;
/** The newest interactions whose readers a delete waits for. */
const MAX_JUST_ENDED = 20;

/** Pages of chats that are read for one user at once; each may be large. */
const PAGES_AT_ONCE = 4;

@Injectable()
export class ChatsService {
  private readonly pages = new KeyedMutex();
  private turn = 0;

  constructor(
    private readonly chats: ChatStore,
    private readonly access: ChatAccess,
    private readonly leftovers: Leftovers,
    private readonly interactions: InteractionStore,
    private readonly conversations: ConversationCache,
    private readonly view: InteractionView,
    private readonly settings: ChatSettingsRules,
    private readonly cancellation: CancellationService,
    private readonly waitForEnd: WaitForEnd,
    private readonly workspaces: Workspaces,
    private readonly spill: Spill,
    private readonly files: FilePurge,
    private readonly quotas: Quotas,
    private readonly bus: LiveBus,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * @throws AppError `chat_exists` (409), `quota_exceeded` (429), and as `ChatSettingsRules`,
   * `checkMessages`
   */
  async create(caller: Principal, body: CreateChatDto): Promise<Chat> {
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
      if (!(await this.chats.createChat(chat)))
        throw new AppError('conflict', 'chat_exists', `There is a chat ${chat.id} already.`);
      this.quotas.addBytes(chat.tenant_id, bytes);
    } finally {
      reserved.release();
    }
    this.bus.noteChange({ chat_uid: chat.uid, tenant_id: chat.tenant_id });
    await this.audit.note(caller, 'chat.created', { chat_id: chat.id });
    const row = newChatRow(chat);
    const { messages: said } = chat;
    return { ...viewChat(row, undefined), messages: said, interactions: [], next_before: null };
  }

  async list(
    caller: Principal,
    { limit, cursor, order = 'updated' }: ListChatsQueryDto,
  ): Promise<{ items: ChatSummary[]; next_cursor: string | null }> {
    const before = cursor === undefined ? undefined : parseChatCursor(cursor, order);
    const page = { order, limit: limit + 1, ...(before && { before }) };
    const rows = await this.chats.listChats({ viewer: viewerOf(caller), ...page });
    const states = await this.chats.readStates(rows.map(({ uid }) => uid));
    const items = rows.map((row) => viewChat(row, states.get(row.uid)));
    return toPage(items, limit, (last) => formatChatCursor(last, order));
  }

  /**
   * With the newest interactions, oldest first.
   * @throws AppError `chat_not_found` (404), `invalid_query` (400) if `before` is not one of its
   * interactions
   */
  async get(caller: Principal, id: string, query: GetChatQueryDto): Promise<Chat> {
    const chat = await this.access.chat(caller, id);
    const slot = this.turn++ % PAGES_AT_ONCE;
    const key = JSON.stringify([caller.tenant_id, caller.user_id, slot]);
    return this.pages.run(key, () => this.show(caller, chat, query));
  }

  private async show(caller: Principal, chat: ChatRow, query: GetChatQueryDto): Promise<Chat> {
    const { limit, before, include, state } = query;
    if (before !== undefined) await this.requireInteraction(caller, chat, before);
    const rows = await this.interactions.listInteractions({
      chat_uid: chat.uid,
      superseded: include === 'superseded',
      limit: limit + 1,
      bytes: MAX_PAGE_BYTES,
      ...(before !== undefined && { before }),
    });
    const hasState = (row: InteractionRow): boolean =>
      state === 'all' || row.id === chat.head_interaction_id;
    const items = await this.view.page(rows, { limit, hasState });
    const states = await this.chats.readStates([chat.uid]);
    const next_before = items.length < rows.length ? (items.at(-1)?.id ?? null) : null;
    const summary = viewChat(chat, states.get(chat.uid));
    const messages = await this.readMessages(chat);
    return { ...summary, messages, interactions: items.reverse(), next_before };
  }

  private async readMessages({ uid, id }: ChatRow): Promise<readonly Message[]> {
    try {
      return await this.chats.readMessages(uid);
    } catch (error) {
      nameUnreadable(id, error);
      return [{ role: 'user', content: UNREADABLE }];
    }
  }

  /**
   * @throws AppError `chat_not_found`, `interaction_not_found` (404), `not_owner` (403),
   * `chat_busy` (409), `quota_exceeded` (429), and as `ChatSettingsRules.changed`
   */
  async update(caller: Principal, id: string, body: UpdateChatDto): Promise<Chat> {
    const { title, visibility, settings, metadata, head_interaction_id } = body;
    const changes = { title, visibility, settings, metadata, head_interaction_id };
    const chat = await this.access.chat(caller, id);
    if (Object.values(changes).every((to) => to === undefined))
      return this.show(caller, chat, new GetChatQueryDto());
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
    return this.show(caller, row, new GetChatQueryDto());
  }

  /**
   * Cancels all interactions, waits until they stopped, then deletes everything.
   * @throws AppError `chat_not_found` (404), `not_owner` (403), `chat_still_running` (503)
   */
  async delete(caller: Principal, id: string): Promise<void> {
    const { user_id } = caller;
    const deadline = this.clock.monotonic() + STOP_LIMIT_MS;
    const chat = await this.access.chat(caller, id);
    requireOwner(caller, chat);
    const { uid } = chat;
    await this.workspaces.intendDiscard(uid);
    for (;;) {
      await this.waitForReaders(uid);
      const outcome = await this.chats.deleteChat(uid);
      if (outcome === 'deleted') {
        this.noteChange(chat);
        await this.audit.note(caller, 'chat.deleted', { chat_id: id });
        return this.discardRest(uid);
      }
      if (outcome === 'unknown') throw chatNotFound(id);
      const left = deadline - this.clock.monotonic();
      if (left <= 0 || !(await this.stopActive(uid, { user_id, limit_ms: left })))
        throw stillRunning(id);
    }
  }

  /**
   * Deletes a chat that is untouched since then, as `delete` does. False: it was touched, or is
   * gone.
   */
  async deleteUntouched(uid: string, before: string): Promise<boolean> {
    const chat = await this.chats.findChatByUid(uid);
    if (!chat) return false;
    await this.workspaces.intendDiscard(uid);
    if ((await this.chats.deleteChat(uid, before)) !== 'deleted') return false;
    const { id: chat_id, tenant_id } = chat;
    const detail = { cause: 'retention' };
    await this.audit.note({ tenant_id, user_id: 'system' }, 'chat.deleted', { chat_id, detail });
    this.noteChange(chat);
    await this.discardRest(uid);
    return true;
  }

  /** `was`: before the change. */
  private noteChange({ uid: chat_uid, tenant_id, id, owner, visibility }: ChatRow): void {
    this.bus.noteChange({ chat_uid, tenant_id, was: { id, owner, visibility } });
  }

  /** Data of the chat outside the store. */
  private async discardRest(uid: string): Promise<void> {
    this.leftovers.remove();
    this.files.request();
    await this.conversations.forget(uid);
    await this.workspaces.discard(uid);
    await this.spill.removeDeleted().catch(() => {}); // tried again within an hour
  }

  /** Queued interactions first, so that none is promoted meanwhile. */
  private async stopActive(
    chatUid: string,
    { user_id, limit_ms }: { user_id: string; limit_ms: number },
  ): Promise<boolean> {
    const unfinished = (await this.interactions.listUnfinished(chatUid)).reverse();
    for (const row of unfinished)
      await this.cancellation.request(row, 'The chat was deleted.', user_id);
    const ended = await Promise.all(
      unfinished.map(({ id }) => this.waitForEnd.of(id, { limit_ms })),
    );
    return ended.every(Boolean);
  }

  /** Readers, on any process, may lack the last event of an interaction that has just ended. */
  private async waitForReaders(chatUid: string): Promise<void> {
    const latest = { chat_uid: chatUid, superseded: true, limit: MAX_JUST_ENDED };
    const ended = (await this.interactions.listInteractions(latest)).filter(({ status }) =>
      isFinal(status),
    );
    await Promise.all(ended.map((each) => this.waitForEnd.untilRead(each.id)));
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
        const [shown] = await this.view.page([head], { limit: 1, hasState: () => false });
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

/** Without what clients never see. */
export function viewChat(
  { uid: _uid, tenant_id: _tenant, unreadable: _, ...chat }: ChatRow,
  state: ChatState | undefined,
): ChatSummary {
  const { active_interaction_id = null, status = null } = state ?? {};
  return { ...chat, agent: chat.settings.agent ?? null, active_interaction_id, status };
}

/** @throws AppError `not_owner` (403) */
function requireOwner({ user_id, scopes }: Principal, { id, owner }: ChatRow): void {
  if (owner === user_id || scopes.has('admin')) return;
  throw new AppError(
    'forbidden',
    'not_owner',
    `The chat ${id} belongs to ${owner}: only they and admins delete it or change its visibility.`,
  );
}

function stillRunning(id: string): AppError {
  return new AppError(
    'unavailable',
    'chat_still_running',
    `An interaction of the chat ${id} has not stopped yet. Retry shortly.`,
  );
}
