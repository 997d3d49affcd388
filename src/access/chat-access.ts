import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { Viewer } from '../persistence/viewer.js';
import { agentNotFound, chatNotFound, interactionNotFound } from './not-found.js';
import { viewerOf } from './viewer-of.js';

/**
 * Turns an id that a client named into a row. What the caller does not see is not there: both give
 * the same error.
 */
@Injectable()
export class ChatAccess {
  constructor(
    private readonly chats: ChatStore,
    private readonly interactions: InteractionStore,
  ) {}

  findChat(caller: Principal, chatId: string): Promise<ChatRow | undefined> {
    return this.chats.findChat(chatId, viewerOf(caller));
  }

  /** @throws AppError `chat_not_found` (404) */
  async chat(caller: Principal, chatId: string): Promise<ChatRow> {
    const row = await this.findChat(caller, chatId);
    if (!row) throw chatNotFound(chatId);
    return row;
  }

  /** @throws AppError `interaction_not_found` (404), also if it belongs to another chat */
  interaction(caller: Principal, chatId: string, interactionId: string): Promise<InteractionRow> {
    return this.ofChat(viewerOf(caller), chatId, interactionId);
  }

  /**
   * An interaction to stop: for `operate`, any of the tenant. Show nothing of it.
   * @throws AppError `interaction_not_found` (404), also if it belongs to another chat
   */
  interactionToStop(
    caller: Principal,
    chatId: string,
    interactionId: string,
  ): Promise<InteractionRow> {
    const viewer = viewerOf(caller);
    const is_admin = viewer.is_admin || caller.scopes.has('operate');
    return this.ofChat({ ...viewer, is_admin }, chatId, interactionId);
  }

  /** @throws AppError `interaction_not_found` (404) */
  async interactionById(caller: Principal, id: string): Promise<InteractionRow> {
    const row = await this.interactions.findInteraction(id, viewerOf(caller));
    if (row) return row;
    throw new AppError(
      'not_found',
      'interaction_not_found',
      `There is no interaction ${id}. GET /chats/{chat_id} lists those of a chat.`,
    );
  }

  /** @throws AppError `agent_not_found` (404) */
  async ofAgent(caller: Principal, agentId: string): Promise<InteractionRow> {
    const row = await this.interactions.findInteractionOfAgent(agentId, viewerOf(caller));
    if (!row) throw agentNotFound(agentId);
    return row;
  }

  private async ofChat(
    viewer: Viewer,
    chatId: string,
    interactionId: string,
  ): Promise<InteractionRow> {
    const row = await this.interactions.findInteraction(interactionId, viewer);
    if (row?.chat_id !== chatId) throw interactionNotFound(chatId, interactionId);
    return row;
  }
}
