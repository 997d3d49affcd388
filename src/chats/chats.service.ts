import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../agents/agent-registry.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { Spill } from '../event-log/spill/spill.js';
import { InteractionView } from '../interactions/interaction-view.js';
import { WaitForEnd } from '../cancellation/wait-for-end.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { ConversationCache } from '../persistence/conversation-cache/conversation-cache.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { ChatRow } from '../persistence/rows/store-rows.js';
import { isFinal } from '../protocol/interaction.js';
import type { Chat } from '../protocol/interaction.js';
import { Workspaces } from '../workspace/workspaces.js';
import type { CreateChatDto } from './dto/create-chat.dto.js';
import { GetChatQueryDto } from './dto/get-chat-query.dto.js';
import type { UpdateChatDto } from './dto/update-chat.dto.js';
import { MAX_PAGE_BYTES, parsePageCursor, toPage } from '../http/input/page-cursor.js';
import { Leftovers } from './leftovers.js';

/** Timeout for running interactions to stop before a delete, in milliseconds. */
const STOP_LIMIT_MS = 30_000;
/** The newest interactions whose readers a delete waits for. */
const MAX_JUST_ENDED = 20;

@Injectable()
export class ChatsService {
  constructor(
    private readonly chats: ChatStore,
    private readonly leftovers: Leftovers,
    private readonly interactions: InteractionStore,
    private readonly conversations: ConversationCache,
    private readonly view: InteractionView,
    private readonly agents: AgentRegistry,
    private readonly cancellation: CancellationService,
    private readonly waitForEnd: WaitForEnd,
    private readonly workspaces: Workspaces,
    private readonly spill: Spill,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws AppError `chat_exists` (409), `unknown_agent` (400) */
  async create({ id, title, agent, metadata }: CreateChatDto, caller: Principal): Promise<Chat> {
    if (agent !== undefined) this.agents.get(agent);
    const chat = {
      id: id ?? this.ids.make('chat'),
      title: title ?? null,
      agent: agent ?? null,
      created_at: this.clock.now().toISOString(),
      metadata: metadata ?? {},
    };
    if (!(await this.chats.createChat(chat)))
      throw new AppError('conflict', 'chat_exists', `There is a chat ${chat.id} already.`);
    await this.audit.note(caller, 'chat.created', { chat_id: chat.id });
    return { ...(await this.find(chat.id)), interactions: [], next_before: null };
  }

  async list({ limit, cursor }: { limit: number; cursor?: string }): Promise<{
    items: ChatRow[];
    next_cursor: string | null;
  }> {
    const before = cursor === undefined ? undefined : parsePageCursor(cursor);
    const rows = await this.chats.listChats({ limit: limit + 1, ...(before && { before }) });
    return toPage(rows, limit);
  }

  /**
   * With the newest interactions, oldest first.
   * @throws AppError `chat_not_found` (404), `invalid_query` (400) if `before` is not one of its
   * interactions
   */
  async get(id: string, { limit, before, include, state }: GetChatQueryDto): Promise<Chat> {
    const chat = await this.find(id);
    if (before !== undefined) await this.requireInteraction(id, before);
    const rows = await this.interactions.listInteractions({
      chat_id: id,
      superseded: include === 'superseded',
      limit: limit + 1,
      bytes: MAX_PAGE_BYTES,
      ...(before !== undefined && { before }),
    });
    const hasState = (row: InteractionRow): boolean =>
      state === 'all' || row.id === chat.head_interaction_id;
    const items = await this.view.page(rows, { limit, hasState });
    const next_before = items.length < rows.length ? (items.at(-1)?.id ?? null) : null;
    return { ...chat, interactions: items.reverse(), next_before };
  }

  /** @throws AppError `chat_not_found`, `interaction_not_found` (404), `chat_busy` (409) */
  async update(id: string, changes: UpdateChatDto, caller: Principal): Promise<Chat> {
    const { title, metadata, head_interaction_id } = changes;
    if (head_interaction_id !== undefined) await this.switchHead(id, head_interaction_id);
    const row = await this.chats.updateChat(id, {
      ...(title !== undefined && { title }),
      ...(metadata !== undefined && { metadata }),
      updated_at: this.clock.now().toISOString(),
    });
    if (!row) unknownChat(id);
    const fields = Object.entries(changes).flatMap(([field, to]) =>
      to === undefined ? [] : field,
    );
    await this.audit.note(caller, 'chat.updated', { chat_id: id, detail: { fields } });
    return this.get(id, new GetChatQueryDto());
  }

  /**
   * Cancels all interactions, waits until they stopped, then deletes everything.
   * @throws AppError `chat_not_found` (404), `chat_still_running` (503)
   */
  async delete(id: string, caller: Principal): Promise<void> {
    const { user_id } = caller;
    const deadline = this.clock.monotonic() + STOP_LIMIT_MS;
    const uid = (await this.chats.findUid(id)) ?? unknownChat(id);
    for (;;) {
      await this.waitForReaders(id);
      const outcome = await this.chats.deleteChat(id);
      if (outcome === 'deleted') {
        await this.audit.note(caller, 'chat.deleted', { chat_id: id });
        return this.discardRest(id, uid);
      }
      if (outcome === 'unknown') unknownChat(id);
      const left = deadline - this.clock.monotonic();
      if (left <= 0 || !(await this.stopActive(id, { user_id, limit_ms: left })))
        throw stillRunning(id);
    }
  }

  /** Data of the chat outside the store. */
  private async discardRest(id: string, uid: string): Promise<void> {
    this.leftovers.remove();
    await this.conversations.forget(id);
    await this.workspaces.discard(id, uid);
    await this.spill.removeDeleted().catch(() => {}); // tried again within an hour
  }

  /** Queued interactions first, so that none is promoted meanwhile. */
  private async stopActive(
    chatId: string,
    { user_id, limit_ms }: { user_id: string; limit_ms: number },
  ): Promise<boolean> {
    const unfinished = (await this.interactions.listUnfinished(chatId)).reverse();
    for (const { id } of unfinished)
      await this.cancellation.request(id, 'The chat was deleted.', user_id);
    const ended = await Promise.all(unfinished.map(({ id }) => this.waitForEnd.of(id, limit_ms)));
    return ended.every(Boolean);
  }

  /** Readers, on any process, may lack the last event of an interaction that has just ended. */
  private async waitForReaders(chatId: string): Promise<void> {
    const latest = { chat_id: chatId, superseded: true, limit: MAX_JUST_ENDED };
    const ended = (await this.interactions.listInteractions(latest)).filter(({ status }) =>
      isFinal(status),
    );
    await Promise.all(ended.map((each) => this.waitForEnd.untilRead(each.id)));
  }

  private async switchHead(chatId: string, interactionId: string): Promise<void> {
    await this.find(chatId);
    const at = this.clock.now().toISOString();
    switch (await this.chats.switchHead(chatId, interactionId, at)) {
      case 'switched':
        return;
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

  private async requireInteraction(chatId: string, before: string): Promise<void> {
    if ((await this.interactions.findInteraction(before))?.chat_id === chatId) return;
    const message = `must be one of the interactions of the chat ${chatId}`;
    throw new AppError('invalid', 'invalid_query', `before ${message}.`, {
      errors: [{ field: 'before', message }],
    });
  }

  private async find(id: string): Promise<ChatRow> {
    return (await this.chats.findChat(id)) ?? unknownChat(id);
  }
}

function unknownChat(id: string): never {
  throw new AppError(
    'not_found',
    'chat_not_found',
    `There is no chat ${id}. GET /chats lists those there are; a message to a new id creates one.`,
  );
}

function stillRunning(id: string): AppError {
  return new AppError(
    'unavailable',
    'chat_still_running',
    `An interaction of the chat ${id} has not stopped yet. Retry shortly.`,
  );
}
