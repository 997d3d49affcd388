import type { ChatTexts } from '../../../persistence/chat-texts.js';
import type { WrappedKey } from '../../../encryption/data-key-store.js';
import { previewOfEnd } from '../../../persistence/chat-texts.js';
import type { ChatRow, NewChat } from '../../../persistence/rows/chat-rows.js';
import type { StartInteraction } from '../../../persistence/rows/start-rows.js';
import type { Message } from '../../../protocol/message.js';
import type { ChatJournal, ChatSnapshot } from './journal.js';
import { chatKey } from './chat-key.js';
import type { StoredInteraction } from './stored-interaction.js';

/** New values of `supersededAt`; unchanged interactions are left out. */
type BranchMarks = ReadonlyMap<StoredInteraction, string | null>;

const NO_MARKS: BranchMarks = new Map();

/** Record 1 of an interaction. */
interface Beginning {
  readonly at: string;
  /** Undefined for one that was queued: its end changes the preview. */
  readonly texts?: ChatTexts;
}

/** A chat in memory, with its interactions in the order of their requests. */
export class StoredChat {
  /** Version of its newest branch change. */
  branchVersion = 0;
  readonly #interactions = new Map<string, StoredInteraction>();
  readonly #byIdempotencyKey = new Map<string, StoredInteraction>();
  #unfinished: readonly StoredInteraction[] = [];
  #ordinal = 0;
  /** The conversation that it starts from. */
  readonly messages: readonly Message[];
  dataKey?: WrappedKey;

  constructor(
    public row: ChatRow,
    readonly journal: ChatJournal,
    { data_key, messages = [] }: Pick<NewChat, 'data_key' | 'messages'> = {},
  ) {
    this.messages = messages;
    if (data_key) this.dataKey = data_key;
  }

  get uid(): string {
    return this.row.uid;
  }

  /** Its writers are serialized by this key, which a chat that is created again has, too. */
  get key(): string {
    return chatKey(this.row);
  }

  get interactions(): readonly StoredInteraction[] {
    return [...this.#interactions.values()];
  }

  /** Interactions that are active or queued. */
  get unfinished(): readonly StoredInteraction[] {
    this.#unfinished = this.#unfinished.filter(({ hasEnded }) => !hasEnded);
    return this.#unfinished;
  }

  get active(): StoredInteraction | undefined {
    return this.unfinished.find(({ isActive }) => isActive);
  }

  /** In the order of the queue. */
  get queued(): readonly StoredInteraction[] {
    return this.unfinished.filter(({ isQueued }) => isQueued).sort(compareRanks);
  }

  /**
   * The interaction that begins once none is active: the first in the queue that isn't cancelled.
   */
  get next(): StoredInteraction | undefined {
    return this.queued.find(({ state }) => state.cancel_reason === null);
  }

  get isBusy(): boolean {
    return this.unfinished.length > 0;
  }

  get nextOrdinal(): number {
    return this.#ordinal + 1;
  }

  add(interaction: StoredInteraction): void {
    const { id, ordinal, idempotency } = interaction.known;
    this.#interactions.set(id, interaction);
    this.#ordinal = Math.max(this.#ordinal, ordinal);
    this.#see(interaction);
    if (!interaction.hasEnded) this.#unfinished = [...this.#unfinished, interaction];
    if (idempotency) this.#byIdempotencyKey.set(idempotency.key, interaction);
  }

  find(interactionId: string): StoredInteraction | undefined {
    return this.#interactions.get(interactionId);
  }

  findByIdempotencyKey(key: string): StoredInteraction | undefined {
    return this.#byIdempotencyKey.get(key);
  }

  /** The parent of a new interaction, or of one that leaves the queue now. */
  parentOf({ edited_from }: Pick<StartInteraction, 'edited_from'>): string | null {
    if (edited_from === undefined) return this.row.head_interaction_id;
    return this.find(edited_from)?.state.parent_id ?? null;
  }

  /** The parent of a queued interaction: an edit keeps its parent from its start. */
  parentFromQueue({ known, state }: StoredInteraction): string | null {
    return known.edited_from === null ? this.row.head_interaction_id : state.parent_id;
  }

  /**
   * Called when an interaction of the chat has begun: it becomes the head. Returns the ids of the
   * interactions whose marks changed.
   */
  begin(interaction: StoredInteraction, { at, texts }: Beginning): string[] {
    const { parent_id } = interaction.state;
    const isThere = parent_id === null || this.find(parent_id) !== undefined;
    const followsHead = !isThere || parent_id === this.row.head_interaction_id;
    this.row = {
      ...this.row,
      ...(texts && { title: this.row.title ?? texts.title, preview: texts.preview }),
      head_interaction_id: interaction.id,
      updated_at: at,
    };
    this.#see(interaction);
    return followsHead ? [] : this.mark(this.marksFor(interaction.id, at));
  }

  /** Called when an interaction has ended; true if that changes the chat: it is the head. */
  noteEnd({ id }: StoredInteraction, at: string, added: readonly Message[]): boolean {
    if (id !== this.row.head_interaction_id) return false;
    const updated_at = at > this.row.updated_at ? at : this.row.updated_at;
    this.row = { ...this.row, preview: previewOfEnd(added) ?? this.row.preview, updated_at };
    return true;
  }

  /** Called when an interaction has ended without having begun. */
  leaveQueue(interaction: StoredInteraction): void {
    interaction.supersededAt ??= interaction.state.completed_at;
    this.#see(interaction);
  }

  /**
   * The marks that make the branch ending with `headId` the active one: interactions that are
   * neither on it nor queued are superseded as of `at`, unless they already are.
   */
  marksFor(headId: string, at: string): BranchMarks {
    const branch = new Set(this.walkBranch(headId));
    const marks = new Map<StoredInteraction, string | null>();
    for (const interaction of this.interactions) {
      if (interaction.isQueued) continue;
      const mark = branch.has(interaction) ? null : (interaction.supersededAt ?? at);
      if (mark !== interaction.supersededAt) marks.set(interaction, mark);
    }
    return marks;
  }

  /** Applies the marks and returns the ids of the interactions. */
  mark(marks: BranchMarks): string[] {
    for (const [interaction, mark] of marks) interaction.supersededAt = mark;
    return [...marks.keys()].map(({ id }) => id);
  }

  /**
   * From one interaction back along the parents. Files edited by hand may contain a cycle, so each
   * interaction is returned only once.
   */
  *walkBranch(from: string | null): Generator<StoredInteraction> {
    const seen = new Set<StoredInteraction>();
    for (let id = from; id !== null;) {
      const interaction = this.find(id);
      if (!interaction || seen.has(interaction)) return;
      seen.add(interaction);
      yield interaction;
      id = interaction.state.parent_id;
    }
  }

  /** Saves the chat in its future state; `row` and `marks` are not applied yet. */
  async save(row: ChatRow = this.row, marks: BranchMarks = NO_MARKS): Promise<void> {
    await this.journal.save(this.snapshot(row, marks));
  }

  snapshot(row: ChatRow = this.row, marks: BranchMarks = NO_MARKS): ChatSnapshot {
    const superseded: Record<string, string> = {};
    for (const interaction of this.#interactions.values()) {
      const mark = marks.get(interaction);
      const at = mark === undefined ? interaction.supersededAt : mark;
      if (at !== null) superseded[interaction.id] = at;
    }
    return {
      ...row,
      ...(this.dataKey && { data_key: this.dataKey }),
      ...(this.messages.length > 0 && { messages: this.messages }),
      ...{ branch_version: this.branchVersion, superseded },
    };
  }

  #see({ state }: StoredInteraction): void {
    this.branchVersion = Math.max(this.branchVersion, state.branch_version ?? 0);
  }
}

function compareRanks(a: StoredInteraction, b: StoredInteraction): number {
  const byRank = (a.state.queue_rank ?? 0) - (b.state.queue_rank ?? 0);
  return byRank !== 0 ? byRank : a.known.ordinal - b.known.ordinal;
}
