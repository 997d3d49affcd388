import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import type { Principal } from '../../auth/principal.js';
import { ChatsService } from '../../chats/chats.service.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { isFinal } from '../../protocol/interaction.js';
import type { Chat } from '../../protocol/wire/chat.js';

/** Interactions of a thread that are read. */
const PAGE = 50;

/** Chats as threads. */
@Injectable()
export class AgentThreads {
  constructor(
    private readonly access: ChatAccess,
    private readonly chats: ChatsService,
  ) {}

  /** With its newest interactions. Undefined: the caller sees none of this id. */
  async find(caller: Principal, id: string, limit = PAGE): Promise<Chat | undefined> {
    if (!(await this.access.findChat(caller, id))) return undefined;
    return this.chats.get(caller, id, { limit });
  }

  /** The interaction that runs, waits or is about to. */
  async findActive(caller: Principal, id: string): Promise<InteractionRow | undefined> {
    const chat = await this.find(caller, id, 1);
    return chat && this.activeOf(caller, chat);
  }

  async activeOf(caller: Principal, chat: Chat): Promise<InteractionRow | undefined> {
    const active = chat.active_interaction_id ?? chat.interactions.at(-1)?.id;
    const row = active && (await this.access.interaction(caller, chat.id, active));
    return row && !isFinal(row.status) ? row : undefined;
  }
}
