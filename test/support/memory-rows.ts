import type { LogRecord } from '../../src/persistence/rows/log-record.js';
import type {
  ChatRow,
  InteractionRow,
  NewChat,
  StartInteraction,
} from '../../src/persistence/rows/store-rows.js';
import { isFinal } from '../../src/protocol/interaction.js';
import type { Message } from '../../src/protocol/message.js';

export interface SavedChat {
  row: ChatRow;
  readonly keys: Map<string, { readonly fingerprint: string; readonly id: string }>;
}

export interface Saved {
  row: InteractionRow;
  owner: string | null;
  losses: number;
  taken_seq: number;
  /** Milliseconds of the store's `now`. */
  lease_until: number;
  /** What `signals` was when it parked. */
  parked: number | null;
  /** Lowest first. */
  readonly rank: number;
  readonly records: LogRecord[];
  added: readonly Message[] | undefined;
  hasBegun: boolean;
}

/** The rows of a `MemoryStore`: its chats with their branches and queues. */
export class MemoryRows {
  readonly chats = new Map<string, SavedChat>();
  readonly interactions = new Map<string, Saved>();

  insertChat(chat: NewChat): SavedChat {
    const row = copy({ ...chat, head_interaction_id: null, updated_at: chat.created_at });
    const saved: SavedChat = { row, keys: new Map() };
    this.chats.set(chat.id, saved);
    return saved;
  }

  /** Not yet begun. */
  insert(start: StartInteraction, rank: number): Saved {
    const { edited_from = null } = start;
    const parent_id = edited_from === null ? null : this.get(edited_from).row.parent_id;
    const row = copy(queuedRow({ ...start.interaction, edited_from, parent_id }));
    const unowned = { owner: null, lease_until: 0, parked: null, losses: 0, taken_seq: 1 };
    const saved: Saved = { row, ...unowned, rank, records: [], added: undefined, hasBegun: false };
    this.interactions.set(row.id, saved);
    return saved;
  }

  get(id: string): Saved {
    const saved = this.interactions.get(id);
    if (!saved) throw new Error(`There is no interaction ${id}.`);
    return saved;
  }

  /** Oldest first. */
  of(chatId: string): Saved[] {
    return [...this.interactions.values()].filter(({ row }) => row.chat_id === chatId);
  }

  /** The active one, then those that are queued, in order. */
  unfinished(chatId: string): Saved[] {
    const rankOf = (saved: Saved) => (isQueued(saved) ? saved.rank : -Infinity);
    return this.of(chatId)
      .filter(({ row }) => !isFinal(row.status))
      .sort((a, b) => rankOf(a) - rankOf(b));
  }

  active(chatId: string): Saved | undefined {
    return this.unfinished(chatId).find((saved) => !isQueued(saved));
  }

  /** What is queued, last first, then the active branch from its head; what is before `mark` in the branch, if that has begun. */
  activeBefore(chatId: string, mark: Saved | undefined): Saved[] {
    const isPast = mark && !isQueued(mark);
    const queue = isPast ? [] : this.unfinished(chatId).filter(isQueued).toReversed();
    const branch: Saved[] = [];
    let id = isPast ? mark.row.parent_id : this.chats.get(chatId)?.row.head_interaction_id;
    for (; id; id = this.get(id).row.parent_id) branch.push(this.get(id));
    return [...queue, ...branch.filter(({ row }) => row.superseded_at === null)];
  }

  begin(saved: Saved, at: string): LogRecord {
    const { row } = saved;
    const chat = this.chats.get(row.chat_id)!;
    saved.row = { ...row, parent_id: this.parentOf(saved), status: 'RUNNING', last_seq: 1 };
    saved.hasBegun = true;
    chat.row = { ...chat.row, head_interaction_id: row.id, updated_at: at };
    if (row.edited_from) this.markBranch(row.id, at);
    const first = recordOne(saved.row, at);
    saved.records.push(first);
    return first;
  }

  /** It has ended without having begun. */
  leaveQueue(saved: Saved, at: string): void {
    saved.row = { ...saved.row, superseded_at: at };
  }

  cancel(saved: Saved, reason: string): void {
    const { row } = saved;
    const { signals, cancel_reason } = row;
    const isLeaving = isQueued(saved) && cancel_reason === null;
    const parent_id = isLeaving ? this.parentOf(saved) : row.parent_id;
    saved.row = { ...row, parent_id, signals: signals + 1, cancel_reason: cancel_reason ?? reason };
  }

  private parentOf({ row }: Saved): string | null {
    return row.edited_from ? row.parent_id : this.chats.get(row.chat_id)!.row.head_interaction_id;
  }

  /** The id of what has begun, if anything could. */
  promote(chatId: string, at: string): string | undefined {
    if (this.active(chatId)) return undefined;
    const next = this.unfinished(chatId).find(({ row }) => row.cancel_reason === null);
    if (next) this.begin(next, at);
    return next?.row.id;
  }

  markBranch(headId: string, at: string): void {
    const branch = new Set<string>();
    for (let id: string | null = headId; id; id = this.get(id).row.parent_id) branch.add(id);
    for (const saved of this.of(this.get(headId).row.chat_id)) {
      if (isQueued(saved)) continue;
      const superseded_at = branch.has(saved.row.id) ? null : (saved.row.superseded_at ?? at);
      saved.row = { ...saved.row, superseded_at };
    }
  }
}

export function isQueued({ row }: Saved): boolean {
  return row.status === 'QUEUED';
}

/** As JSON would give it back. */
export function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function queuedRow(
  given: StartInteraction['interaction'] & Pick<InteractionRow, 'edited_from' | 'parent_id'>,
): InteractionRow {
  return {
    ...given,
    status: 'QUEUED',
    usage: { input_tokens: 0, output_tokens: 0 },
    error: null,
    completed_at: null,
    superseded_at: null,
    last_seq: 0,
    epoch: 0,
    signals: 0,
    cancel_reason: null,
  };
}

function recordOne(row: InteractionRow, at: string): LogRecord {
  const { id, chat_id, user_message, agent, agent_id, model, parent_id, epoch } = row;
  const { edited_from } = row;
  return {
    ...{ interaction_id: id, seq: 1, epoch, agent_id, at, key: null },
    body: {
      type: 'INTERACTION_STARTED',
      ...{ chat_id, user_message, agent, model, parent_id },
      ...(edited_from !== null && { edited_from }),
    },
    hidden: null,
  };
}
