import { batchesOf } from '../../kernel/async/batches.js';
import type { ConversationCache } from '../../persistence/conversation-cache/conversation-cache.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Message } from '../../protocol/message.js';
import { listAncestors, marksOf } from './ancestors.js';
import { WHOLE, reachOf } from './context-marks.js';
import type { ContextCut, ContextMark } from './context-marks.js';

/** The conversation before an interaction, as far as its runs load it. */
export interface EarlierConversation {
  readonly before: readonly Message[];
  /** Set if its beginning is not loaded. */
  readonly unread?: UnreadBeginning;
}

/** The beginning of a conversation, which is not loaded. */
export interface UnreadBeginning {
  /** Number of its messages, as far as they were counted. Those of the role `system` are loaded. */
  readonly count: number;
  /** In force from the first turn on; its positions are those of the loaded messages. */
  readonly cut: ContextCut;
}

interface Stores {
  readonly interactions: Pick<
    InteractionStore,
    'listInteractions' | 'listBegun' | 'findAddedMessages' | 'getPreviousState'
  >;
  readonly records: Pick<RecordStore, 'readRecordsOfTypes'>;
  readonly conversations: Pick<ConversationCache, 'read'>;
}

/** A conversation up to this size is loaded whole, in bytes. */
const WHOLE_BYTES = 1024 * 1024;
/** Number of interactions whose messages are read at once, until there are enough messages. */
const BATCH_SIZE = 10;

/**
 * Loads the conversation before an interaction. Of a long one only the end, which is all that a
 * model gets. What is loaded depends only on what was saved before the interaction began: all of
 * its runs have the same.
 */
export class ConversationLoader {
  constructor(
    private readonly stores: Stores,
    private readonly interaction: InteractionRow,
    private readonly whole_bytes = WHOLE_BYTES,
  ) {}

  /** @param isCut false: models get every message, whatever their number */
  async load(isCut: boolean): Promise<EarlierConversation> {
    const { stores, interaction, whole_bytes } = this;
    const before = await stores.conversations.read(interaction, whole_bytes);
    if (before) return { before };
    const end = (isCut ? await this.sinceMark() : undefined) ?? (await this.newest());
    return end ?? { before: await stores.interactions.getPreviousState(interaction.id) };
  }

  /** From the message on that the newest lasting mark of an earlier interaction sends first. */
  private async sinceMark(): Promise<EarlierConversation | undefined> {
    const { stores, interaction } = this;
    const { context_messages = Infinity } = interaction.settings;
    const passed: InteractionRow[] = [];
    for await (const rows of listAncestors(stores.interactions, interaction)) {
      const marks = await marksOf(stores.records, rows);
      for (const row of rows) {
        passed.push(row);
        const mark = marks.get(row.id)?.findLast(isLasting);
        if (mark) return this.since(mark, passed);
      }
      if (passed.length > context_messages) return undefined; // a mark before them has no effect
    }
    return undefined;
  }

  /** @param passed the interactions from the newest to that of the mark */
  private async since(
    mark: LastingMark,
    passed: readonly InteractionRow[],
  ): Promise<EarlierConversation | undefined> {
    const count = mark.added_from - mark.from;
    const older = await this.messagesBefore(passed.at(-1)!, { count, bytes: 0 });
    if (!older) return undefined;
    const system = await this.systemMessages();
    const from = system.length + older.length - count;
    const shift = from - mark.from;
    const references_before = Math.max(0, mark.references_before + shift);
    return {
      before: [...system, ...older, ...(await this.addedBy(passed))],
      unread: {
        count: (mark.unread ?? 0) - shift,
        cut: { from, summary: mark.summary, references_before },
      },
    };
  }

  /** Where the chat's settings let the model see only so many messages. */
  private async newest(): Promise<EarlierConversation | undefined> {
    const { context_messages: count } = this.interaction.settings;
    if (count === undefined) return undefined;
    const wanted = { count, bytes: this.whole_bytes };
    const messages = await this.messagesBefore(this.interaction, wanted);
    if (!messages) return undefined;
    const before = [...(await this.systemMessages()), ...messages];
    return { before, unread: { count: 0, cut: WHOLE } };
  }

  /**
   * The messages of the interactions before this one, newest interactions first, until there are
   * `count` messages of `bytes` bytes. Undefined if the conversation has fewer.
   */
  private async messagesBefore(
    row: InteractionRow,
    { count, bytes }: { readonly count: number; readonly bytes: number },
  ): Promise<readonly Message[] | undefined> {
    let messages: readonly Message[] = [];
    let size = 0;
    const isEnough = (): boolean => messages.length >= count && size >= bytes;
    if (isEnough()) return messages;
    for await (const rows of listAncestors(this.stores.interactions, row))
      for (const batch of batchesOf(rows, BATCH_SIZE)) {
        const older = await this.addedBy(batch);
        messages = [...older, ...messages];
        size += Buffer.byteLength(JSON.stringify(older));
        if (isEnough()) return messages;
      }
    return undefined;
  }

  /** @param rows newest first */
  private async addedBy(rows: readonly InteractionRow[]): Promise<readonly Message[]> {
    const ids = rows.map(({ id }) => id);
    const added = await this.stores.interactions.findAddedMessages(ids);
    return ids.toReversed().flatMap((id) => added.get(id) ?? []);
  }

  /** Only the messages with which a chat was created have this role. */
  private async systemMessages(): Promise<readonly Message[]> {
    const messages = await firstMessages(this.stores.interactions, this.interaction.chat_uid);
    return messages.filter(({ role }) => role === 'system');
  }
}

/** The messages with which a chat was created. */
export async function firstMessages(
  interactions: Pick<InteractionStore, 'listBegun' | 'getPreviousState'>,
  chatUid: string,
): Promise<readonly Message[]> {
  const [first] = await interactions.listBegun(chatUid, 1);
  return first === undefined ? [] : interactions.getPreviousState(first);
}

type LastingMark = ContextMark & { readonly added_from: number };

/** It covers only messages before its interaction, which never change. */
function isLasting(mark: ContextMark): mark is LastingMark {
  const { from, added_from } = mark;
  return from > 0 && added_from !== undefined && reachOf(mark) <= added_from;
}
