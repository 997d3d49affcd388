import { batchesOf } from '../../kernel/async/batches.js';
import { retryRecord } from '../../persistence/interaction-rules.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import type {
  FinalState,
  InteractionListPage,
  RunListPage,
} from '../../persistence/interaction.store.js';
import { sees } from '../../persistence/viewer.js';
import type { AnyViewer, Viewer } from '../../persistence/viewer.js';
import type { InteractionKey, InteractionRow } from '../../persistence/rows/interaction-row.js';
import type {
  IdempotencyKey,
  QueuedChange,
  QueuedOutcome,
  RetryInteraction,
  RetryOutcome,
  StartInteraction,
  StartOutcome,
  UsedKey,
} from '../../persistence/rows/start-rows.js';
import type { Message } from '../../protocol/message.js';
import { changeQueued } from './core/change-queued.js';
import { cancelledState, retriedState } from './core/interaction-state.js';
import { withinQuota } from './memory-usage-store.js';
import { findUsedKey, startInteraction } from './core/start-interaction.js';
import type { StoreCore } from './core/store-core.js';
import { compareKeys } from './core/store-index.js';
import type { StoredChat } from './core/stored-chat.js';
import type { StoredInteraction } from './core/stored-interaction.js';

/** Number of rows that are read at once when a page is bounded by its bytes. */
const BATCH_SIZE = 16;

interface Branch {
  readonly messages: readonly Message[];
  readonly line: readonly string[];
  readonly total: number;
}

export class MemoryInteractionStore extends InteractionStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  startInteraction(start: StartInteraction): Promise<StartOutcome> {
    return startInteraction(this.core, start);
  }

  retryInteraction(retry: RetryInteraction): Promise<RetryOutcome | undefined> {
    return this.core.change<RetryOutcome | undefined>(
      retry.interaction_id,
      async (interaction, chat) => {
        const { id, state, supersededAt, known } = interaction;
        if (known.tenant_id !== retry.tenant_id) return undefined;
        const busy = chat.active ?? chat.queued[0];
        if (busy) return { outcome: 'busy', active_interaction_id: busy.id };
        const isGivenUp =
          state.status === 'FAILED' && retry.codes.includes(state.error?.code ?? '');
        if (!isGivenUp) return { outcome: 'not_given_up' };
        if (chat.row.head_interaction_id !== id || supersededAt !== null)
          return { outcome: 'not_head' };
        return withinQuota<RetryOutcome>(this.core, retry, async () => {
          const record = retryRecord({ ...known, ...state }, retry);
          const branch_version = ++chat.branchVersion;
          await interaction.reopen(
            { ...retriedState(state), branch_version },
            { records: [record] },
          );
          chat.add(interaction);
          this.core.index.addInteraction(chat, interaction);
          this.core.index.starts.add(known.tenant_id, id, retry.at);
          chat.journal.refresh(chat.uid, { interactions: [id], requests: true });
          return { outcome: 'retried', interaction: await interaction.readRow() };
        });
      },
    );
  }

  async listBegun(chatUid: string, limit: number, after?: string): Promise<string[]> {
    const begun = this.begun(chatUid);
    const from = after === undefined ? 0 : begun.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0) return [];
    return begun.slice(from, from + limit).map(({ id }) => id);
  }

  async findLastBegun(
    chatUid: string,
  ): Promise<Pick<InteractionRow, 'id' | 'last_seq'> | undefined> {
    const last = this.begun(chatUid).at(-1);
    return last && { id: last.id, last_seq: last.state.last_seq };
  }

  listRuns({ bytes = Infinity, ...page }: RunListPage): Promise<InteractionRow[]> {
    return this.readUpTo(bytes, this.runs(page));
  }

  async listRunIds(page: Omit<RunListPage, 'bytes'>): Promise<string[]> {
    return this.runs(page).map(({ id }) => id);
  }

  private runs({ viewer, statuses, chat_uid, limit, after }: RunListPage): StoredInteraction[] {
    const runs = this.core.index.busyChats
      .filter(({ uid, row }) => sees(viewer, row) && (chat_uid ?? uid) === uid)
      .flatMap(({ unfinished }) => unfinished)
      .filter(({ state }) => (statuses as readonly string[]).includes(state.status))
      .filter(({ known }) => !after || compareKeys(known, after) > 0)
      .sort((a, b) => compareKeys(a.known, b.known));
    return runs.slice(0, limit);
  }

  /** Interactions of a chat that are not queued, in the order of their places in its tree. */
  private begun(chatUid: string): StoredInteraction[] {
    const all = this.core.index.findChat(chatUid)?.interactions ?? [];
    return all.filter(({ isQueued }) => !isQueued).sort((a, b) => placeOf(a) - placeOf(b));
  }

  async findUsedKey(
    chatId: string,
    key: IdempotencyKey,
    viewer: Viewer,
  ): Promise<UsedKey | undefined> {
    const chat = this.core.index.findSeenChat(chatId, viewer);
    return chat && findUsedKey(chat, key);
  }

  findInteraction(id: string, viewer: AnyViewer): Promise<InteractionRow | undefined> {
    const { index } = this.core;
    return this.core.readRow(index.seen(index.findInteraction(id), viewer));
  }

  findInteractionOfAgent(agentId: string, viewer: AnyViewer): Promise<InteractionRow | undefined> {
    const { index } = this.core;
    return this.core.readRow(index.seen(index.findByAgent(agentId), viewer));
  }

  findActiveInteraction(chatUid: string): Promise<InteractionRow | undefined> {
    return this.core.readRow(this.core.index.findChat(chatUid)?.active);
  }

  listUnfinished(chatUid: string): Promise<InteractionRow[]> {
    const chat = this.core.index.findChat(chatUid);
    return this.core.readRows([chat?.active ?? [], chat?.queued ?? []].flat());
  }

  async promoteQueued(at: string, chatUid?: string): Promise<string[]> {
    const { index } = this.core;
    const chats = chatUid === undefined ? index.busyChats : [index.findChat(chatUid)];
    const promoted: string[] = [];
    for (const chat of chats) {
      const id = chat?.next && (await this.core.promote(chat, at));
      if (id) promoted.push(id);
    }
    return promoted;
  }

  async listInteractions(page: InteractionListPage): Promise<InteractionRow[]> {
    const chat = this.core.index.findChat(page.chat_uid);
    const mark = page.before === undefined ? undefined : chat?.find(page.before);
    if (!chat || (page.before !== undefined && !mark)) return [];
    const list = page.superseded ? allBefore(chat, mark) : activeBefore(chat, mark);
    const interactions: StoredInteraction[] = [];
    for (const interaction of list) {
      if (interactions.length >= page.limit) break;
      interactions.push(interaction);
    }
    return page.bytes === undefined
      ? this.core.readRows(interactions)
      : this.readUpTo(page.bytes, interactions);
  }

  private async readUpTo(
    bytes: number,
    interactions: readonly StoredInteraction[],
  ): Promise<InteractionRow[]> {
    const rows: InteractionRow[] = [];
    let left = bytes;
    for (const batch of batchesOf(interactions, BATCH_SIZE))
      for (const row of await this.core.readRows(batch)) {
        if (left < 0) return rows;
        left -= bytesOf(row);
        rows.push(row);
      }
    return rows;
  }

  async findFinalState(interactionId: string, bytes: number): Promise<FinalState | undefined> {
    const branch = this.branchWithin(interactionId, bytes);
    if (!branch) return undefined;
    const { messages, line, total } = branch;
    const added = await this.findAddedMessages(line);
    const parts = line.toReversed().map((id) => ({ id, messages: added.get(id) ?? [] }));
    return { parts: [{ id: null, messages }, ...parts], bytes: total };
  }

  async hasFinalState(interactionId: string, bytes: number): Promise<boolean> {
    return this.branchWithin(interactionId, bytes) !== undefined;
  }

  /** The interaction and its ancestors, and the messages of the chat before them. */
  private branchWithin(interactionId: string, bytes: number): Branch | undefined {
    const last = this.core.index.findInteraction(interactionId);
    const chat = last?.hasEnded && this.core.index.findChat(last.known.chat_uid);
    if (!chat) return undefined;
    const { messages } = chat;
    const line: string[] = [];
    let total = Buffer.byteLength(JSON.stringify(messages)) - 2;
    for (const { id, log } of chat.walkBranch(interactionId)) {
      total += log.addedBytes;
      if (total > bytes) return undefined;
      line.push(id);
    }
    return { messages, line, total };
  }

  async getPreviousState(interactionId: string): Promise<Message[]> {
    const { index } = this.core;
    const ancestors: string[] = [];
    const interaction = index.findInteraction(interactionId);
    let id = interaction?.state.parent_id;
    for (; id; id = index.findInteraction(id)?.state.parent_id) ancestors.push(id);
    const added = await this.findAddedMessages(ancestors);
    const first = interaction && index.findChat(interaction.known.chat_uid)?.messages;
    return [...(first ?? []), ...ancestors.toReversed().flatMap((each) => added.get(each) ?? [])];
  }

  async findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>> {
    const found = await this.core.readEach(
      interactionIds.map((id) => this.core.index.findInteraction(id)),
      (interaction) => interaction.readAddedMessages(),
    );
    return new Map(
      interactionIds.flatMap((id, i): [string, Message[]][] => (found[i] ? [[id, found[i]]] : [])),
    );
  }

  changeQueued(interaction: InteractionKey, change: QueuedChange): Promise<QueuedOutcome> {
    return changeQueued(this.core, interaction, change);
  }

  requestCancel(
    { id, tenant_id }: InteractionKey,
    reason: string,
    userId: string | null = null,
  ): Promise<InteractionRow | undefined> {
    return this.core.change(id, async (interaction, chat) => {
      if (interaction.known.tenant_id !== tenant_id) return undefined;
      const { state, isQueued, hasEnded } = interaction;
      const leavesQueue = isQueued && state.cancel_reason === null;
      const parent_id = leavesQueue ? chat.parentFromQueue(interaction) : state.parent_id;
      if (!hasEnded)
        await interaction.commit({ ...cancelledState(state, reason, userId), parent_id });
      return interaction.readRow();
    });
  }
}

function placeOf({ state }: StoredInteraction): number {
  return state.branch_version ?? 0;
}

/** Size in bytes of the fields that may be long. */
function bytesOf({ user_message, metadata, settings }: InteractionRow): number {
  const json = JSON.stringify([metadata, settings]);
  return Buffer.byteLength(user_message) + Buffer.byteLength(json);
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
