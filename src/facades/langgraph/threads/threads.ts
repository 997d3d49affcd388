import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { ChatsService } from '../../../chats/chats.service.js';
import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { AgentEvent } from '../../../protocol/events.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import type { LcMessage } from '../messages/message.js';
import { Thread } from './thread.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** Interactions of a page, and pages that are read of a chat. */
const PAGE = 50;
const MAX_PAGES = 20;

interface ReadOptions {
  /** The last interaction of the branch to read; the head of the chat unless given. */
  readonly last?: string;
  /** Interactions to read at least, of any branch. */
  readonly atLeast?: number;
}

/** Chats as threads. */
@Injectable()
export class Threads {
  constructor(
    private readonly access: ChatAccess,
    private readonly chats: ChatsService,
    private readonly projected: ProjectedStreams,
  ) {}

  /**
   * Its newest interactions, as many as the request needs.
   * @throws AppError `chat_not_found` (404)
   */
  async read(
    caller: Principal,
    chat_id: string,
    { last, atLeast = 0 }: ReadOptions = {},
  ): Promise<Thread> {
    let thread: Thread | undefined;
    let before: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = { limit: PAGE, include: 'superseded', ...(before && { before }) } as const;
      const { interactions, next_before, ...chat } = await this.chats.get(caller, chat_id, page);
      thread ??= new Thread(chat);
      for (const each of interactions.toReversed()) await this.add(caller, thread, each);
      thread.isWhole = next_before === null;
      const end = last === undefined ? thread.head : thread.find(last);
      const isEnough = thread.interactions.length >= atLeast && thread.hasAllOf(end);
      if (next_before === null || isEnough) break;
      before = next_before;
    }
    return thread!;
  }

  /** Messages of the branch that ends with `last`; null: those before all interactions. */
  async messagesTo(caller: Principal, chat_id: string, last: string | null): Promise<LcMessage[]> {
    const thread = await this.read(caller, chat_id, last === null ? {} : { last });
    return thread.messagesTo(thread.find(last));
  }

  private async add(caller: Principal, thread: Thread, interaction: Interaction): Promise<void> {
    thread.add(interaction);
    if (interaction.cut?.agent_events === undefined) return;
    const row = await this.access.interaction(caller, interaction.chat_id, interaction.id);
    const events: StreamEvent[] = [];
    const all = {
      isDone: false,
      take: ({ event }: { event: StreamEvent }) => (events.push(event), []),
    };
    await this.projected.catchUp(row, all, caller);
    thread.saidIn(interaction, events as AgentEvent[]);
  }
}
