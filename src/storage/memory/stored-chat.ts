import type { ChatRow } from '../../persistence/rows/store-rows.js';
import type { BranchMarks } from './branch-marks.js';
import { branchMarks } from './branch-marks.js';
import type { ChatDirectory } from './chat-directory.js';
import type { WritableChat } from './chat-file.js';
import type { InteractionLog } from './interaction-log.js';

/** One chat in memory, with its interactions in the order in which they were asked for. */
export class StoredChat {
  /** The newest change of the branches; see `LogState.turn`. */
  turns = 0;
  readonly #logs = new Map<string, InteractionLog>();
  #ordinal = 0;
  readonly #byIdempotencyKey = new Map<string, InteractionLog>();
  #unfinished: readonly InteractionLog[] = [];

  constructor(
    readonly directory: ChatDirectory,
    public row: ChatRow,
  ) {}

  /** What chat.json is made of. */
  get parts(): WritableChat {
    const { directory, row, turns, logs } = this;
    return { directory, row, turns, logs };
  }

  get logs(): readonly InteractionLog[] {
    return [...this.#logs.values()];
  }

  /** Active or queued. */
  get unfinished(): readonly InteractionLog[] {
    this.#unfinished = this.#unfinished.filter((log) => !log.hasEnded);
    return this.#unfinished;
  }

  get active(): InteractionLog | undefined {
    return this.unfinished.find((log) => log.isActive);
  }

  /** Next first. */
  get queued(): readonly InteractionLog[] {
    return this.unfinished.filter((log) => log.isQueued).sort(compareRanks);
  }

  /** Whoever begins once nothing is active: the first that isn't to be cancelled. */
  get next(): InteractionLog | undefined {
    return this.queued.find((log) => log.state.cancel_reason === null);
  }

  get isBusy(): boolean {
    return this.unfinished.length > 0;
  }

  get nextOrdinal(): number {
    return this.#ordinal + 1;
  }

  add(log: InteractionLog): void {
    this.#logs.set(log.id, log);
    this.#ordinal = Math.max(this.#ordinal, log.known.ordinal);
    this.turns = Math.max(this.turns, log.state.turn ?? 0);
    if (!log.hasEnded) this.#unfinished = [...this.#unfinished, log];
    const key = log.known.idempotency?.key;
    if (key !== undefined) this.#byIdempotencyKey.set(key, log);
  }

  find(interactionId: string): InteractionLog | undefined {
    return this.#logs.get(interactionId);
  }

  /** The log, which is here, has begun: it is the head, and what it doesn't go on from is superseded. Answers which that changed. */
  begin(log: InteractionLog, at: string): Iterable<InteractionLog> {
    const { parent_id } = log.state;
    const isThere = parent_id === null || this.find(parent_id) !== undefined;
    const goesOn = !isThere || parent_id === this.row.head_interaction_id;
    this.row = { ...this.row, head_interaction_id: log.id, updated_at: at };
    this.turns = Math.max(this.turns, log.state.turn ?? 0);
    if (goesOn) return [];
    const marks = branchMarks(this, log.id, at);
    this.mark(marks);
    return marks.keys();
  }

  /** The log has ended without having begun. */
  leaveQueue(log: InteractionLog): void {
    log.supersededAt ??= log.state.completed_at;
    this.turns = Math.max(this.turns, log.state.turn ?? 0);
  }

  mark(marks: BranchMarks): void {
    for (const [log, mark] of marks) log.supersededAt = mark;
  }

  findByIdempotencyKey(key: string): InteractionLog | undefined {
    return this.#byIdempotencyKey.get(key);
  }
}

function compareRanks(a: InteractionLog, b: InteractionLog): number {
  const byRank = (a.state.queue_rank ?? 0) - (b.state.queue_rank ?? 0);
  return byRank !== 0 ? byRank : a.known.ordinal - b.known.ordinal;
}
