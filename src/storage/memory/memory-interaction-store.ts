import { InteractionStore } from '../../persistence/interaction.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { StartInteraction, StartOutcome } from '../../persistence/rows/store-rows.js';
import type { Message } from '../../protocol/message.js';
import { cancelledState } from './interaction-state.js';
import { startInteraction } from './start-interaction.js';
import type { StoreCore } from './store-core.js';
import type { StoredChat } from './stored-chat.js';
import type { StoredInteraction } from './stored-interaction.js';

export class MemoryInteractionStore extends InteractionStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  startInteraction(start: StartInteraction): Promise<StartOutcome> {
    return startInteraction(this.core, start);
  }

  findInteraction(id: string): Promise<InteractionRow | undefined> {
    return this.core.readRow(this.core.index.findInteraction(id));
  }

  /** New chats first, because the log that is searched is most likely there. */
  async findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined> {
    for (const { interactions } of this.core.index.newestFirst) {
      for (const interaction of interactions)
        if (await this.core.read(interaction, (each) => each.hasAgent(agentId)))
          return this.core.readRow(interaction);
    }
    return undefined;
  }

  findActiveInteraction(chatId: string): Promise<InteractionRow | undefined> {
    return this.core.readRow(this.core.index.findChat(chatId)?.active);
  }

  listUnfinished(chatId: string): Promise<InteractionRow[]> {
    const chat = this.core.index.findChat(chatId);
    return this.core.readRows([chat?.active ?? [], chat?.queued ?? []].flat());
  }

  async promoteQueued(at: string, chatId?: string): Promise<string[]> {
    const { index } = this.core;
    const chats = chatId === undefined ? index.busyChats : [index.findChat(chatId)];
    const promoted: string[] = [];
    for (const chat of chats) {
      const id = chat?.next && (await this.core.promote(chat, at));
      if (id) promoted.push(id);
    }
    return promoted;
  }

  async listInteractions(page: {
    chat_id: string;
    superseded: boolean;
    limit: number;
    before?: string;
  }): Promise<InteractionRow[]> {
    const chat = this.core.index.findChat(page.chat_id);
    const mark = page.before === undefined ? undefined : chat?.find(page.before);
    if (!chat || (page.before !== undefined && !mark)) return [];
    const list = page.superseded ? allBefore(chat, mark) : activeBefore(chat, mark);
    const interactions: StoredInteraction[] = [];
    for (const interaction of list) {
      if (interactions.length >= page.limit) break;
      interactions.push(interaction);
    }
    return this.core.readRows(interactions);
  }

  async getPreviousState(interactionId: string): Promise<Message[]> {
    const { index } = this.core;
    const ancestors: string[] = [];
    let id = index.findInteraction(interactionId)?.state.parent_id;
    for (; id; id = index.findInteraction(id)?.state.parent_id) ancestors.push(id);
    const added = await this.findAddedMessages(ancestors);
    return ancestors.toReversed().flatMap((each) => added.get(each) ?? []);
  }

  async findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>> {
    const found = await this.core.readEach(
      interactionIds.map((id) => this.core.index.findInteraction(id)),
      (interaction) => interaction.log.readAddedMessages(),
    );
    return new Map(
      interactionIds.flatMap((id, i): [string, Message[]][] => (found[i] ? [[id, found[i]]] : [])),
    );
  }

  requestCancel(interactionId: string, reason: string): Promise<InteractionRow | undefined> {
    return this.core.change(interactionId, async (interaction, chat) => {
      const { state, isQueued, hasEnded } = interaction;
      const leavesQueue = isQueued && state.cancel_reason === null;
      const parent_id = leavesQueue ? chat.parentFromQueue(interaction) : state.parent_id;
      if (!hasEnded) await interaction.commit({ ...cancelledState(state, reason), parent_id });
      return interaction.readRow();
    });
  }
}

function* allBefore(
  { interactions }: StoredChat,
  mark: StoredInteraction | undefined,
): Generator<StoredInteraction> {
  const end = mark ? interactions.indexOf(mark) : interactions.length;
  for (let i = end - 1; i >= 0; i--) yield interactions[i]!;
}

/** The queue, last first, then the active branch from its head. */
function* activeBefore(
  chat: StoredChat,
  mark: StoredInteraction | undefined,
): Generator<StoredInteraction> {
  const fromQueue = !mark || mark.isQueued;
  const { queued } = chat;
  if (fromQueue) yield* queued.slice(0, mark ? queued.indexOf(mark) : queued.length).toReversed();
  const from = fromQueue ? chat.row.head_interaction_id : mark.state.parent_id;
  for (const each of chat.walkBranch(from)) if (each.supersededAt === null) yield each;
}
