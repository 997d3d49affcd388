import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { isFinal } from '../../protocol/interaction.js';
import type { InteractionState } from './interaction-state.js';
import type { InteractionHead, InteractionStart, LogAppend, RecordLog } from './journal.js';
import { copyJson, foldRequests, toNotes } from './log-notes.js';

type Known = Pick<
  InteractionStart,
  'id' | 'chat_id' | 'ordinal' | 'created_at' | 'idempotency' | 'agent_id' | 'edited_from'
>;

const NONE: readonly never[] = [];
const NO_CHILDREN: ReadonlySet<string> = new Set();

/** One interaction: its state in memory, and its log, which holds all data of unbounded size. */
export class StoredInteraction {
  readonly known: Known;
  /** By the monotonic clock: no lease outlives the process. */
  leaseUntil = -Infinity;
  /** The time since which it is off its chat's active branch. */
  supersededAt: string | null = null;
  /** Kept until the interaction ends; the requests of an ended one are read from its log. */
  requests: readonly RequestRow[] = NONE;
  requestIds: readonly string[] = NONE;
  private children: ReadonlySet<string> = NO_CHILDREN;
  /** False until its child agents were read from the log of an earlier process. */
  private knowsChildren: boolean;

  constructor(
    start: InteractionStart,
    private current: InteractionState,
    readonly log: RecordLog,
  ) {
    const { id, chat_id, ordinal, created_at, idempotency, agent_id, edited_from } = start;
    this.known = { id, chat_id, ordinal, created_at, idempotency, agent_id, edited_from };
    this.knowsChildren = !current.has_children;
  }

  get id(): string {
    return this.known.id;
  }

  get state(): InteractionState {
    return this.current;
  }

  /** True while it occupies its chat (I9). */
  get isActive(): boolean {
    return !this.isQueued && !this.hasEnded;
  }

  get isQueued(): boolean {
    return this.current.status === 'QUEUED';
  }

  get hasBegun(): boolean {
    return this.current.queue_rank === null;
  }

  get hasEnded(): boolean {
    return isFinal(this.current.status);
  }

  get pendingRequests(): readonly RequestRow[] {
    return this.requests.filter(({ status }) => status === 'pending');
  }

  /** Saves one append, then changes to `state`. If saving fails, the state is unchanged. */
  async commit(state: InteractionState, content: LogAppend = { records: NONE }): Promise<void> {
    const show = await this.write(state, content);
    show();
  }

  /** Saves one append; the returned function shows it. */
  async write(to: InteractionState, content: LogAppend = { records: NONE }): Promise<() => void> {
    const children = content.records.flatMap(startedAgent);
    const state = children.length > 0 ? { ...to, has_children: true } : to;
    const show = await this.log.append(content, state);
    return () => {
      show();
      this.current = state;
      if (children.length > 0) this.addChildren(children);
      this.setRequests(foldRequests(this.requests, copyJson(toNotes(content)), this.known));
    };
  }

  /** Leaves out data that is not kept for an ended interaction. */
  setRequests(rows: readonly RequestRow[]): void {
    if (rows !== this.requests) this.requestIds = rows.map(({ id }) => id);
    this.requests = this.hasEnded ? NONE : rows;
  }

  /** In the order of their creation. */
  async readRequests(): Promise<readonly RequestRow[]> {
    const isInLog = this.hasEnded && this.state.request_changes > 0;
    return isInLog ? this.readLoggedRequests() : this.requests;
  }

  async readLoggedRequests(): Promise<readonly RequestRow[]> {
    const { hasEnded, known, state } = this;
    const rows = foldRequests(NONE, await this.log.readNotes(), known);
    if (!hasEnded) return rows;
    const closed = { status: 'closed', settled_at: state.completed_at } as const;
    return rows.map((row) => (row.status === 'pending' ? { ...row, ...closed } : row));
  }

  /** The interaction as it is at the time of the call. */
  async readRow(): Promise<InteractionRow> {
    const { state, supersededAt } = this;
    return toInteractionRow(await this.log.readHead(), state, supersededAt);
  }

  /** Reads the log once if it has child agents that are not in memory. */
  async hasAgent(agentId: string): Promise<boolean> {
    if (this.known.agent_id === agentId) return true;
    if (!this.knowsChildren) {
      const started = await this.log.readRecordsOfTypes(['AGENT_STARTED']);
      this.addChildren(started.flatMap(startedAgent));
      this.knowsChildren = true;
    }
    return this.children.has(agentId);
  }

  private addChildren(ids: readonly string[]): void {
    this.children = new Set([...this.children, ...ids]);
  }
}

export function toInteractionRow(
  { start, user_message }: InteractionHead,
  state: InteractionState,
  superseded_at: string | null,
): InteractionRow {
  const { id, chat_id, agent, agent_id, model, settings, created_at, metadata, edited_from } =
    start;
  const { parent_id, status, usage, error, completed_at, last_seq } = state;
  const { epoch, signals, cancel_reason } = state;
  return {
    ...{ id, chat_id, parent_id, status, user_message, agent, model, settings, usage, error },
    ...{ created_at, completed_at, superseded_at, last_seq, metadata },
    ...{ epoch, agent_id, edited_from, signals, cancel_reason },
  };
}

function startedAgent({ agent_id, body }: LogRecord): string[] {
  return body.type === 'AGENT_STARTED' ? [agent_id] : [];
}
