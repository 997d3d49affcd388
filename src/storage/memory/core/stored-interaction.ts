import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RequestRow } from '../../../persistence/rows/request-rows.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { isFinal } from '../../../protocol/interaction.js';
import type { Message } from '../../../protocol/message.js';
import type { InteractionState } from './interaction-state.js';
import type { InteractionHead, InteractionStart, LogAppend, RecordLog } from './journal.js';
import { copyJson, foldRequests, toNotes } from './log-notes.js';

type Known = Pick<
  InteractionStart,
  | 'id'
  | 'chat_uid'
  | 'chat_id'
  | 'tenant_id'
  | 'started_by'
  | 'model'
  | 'ordinal'
  | 'created_at'
  | 'idempotency'
  | 'agent_id'
  | 'edited_from'
  | 'imported'
> &
  Partial<Pick<InteractionStart, 'adopts'>>;

const NONE: readonly never[] = [];

/** The fields of a request that stay in memory after its interaction has ended. */
export type RequestMark = Pick<RequestRow, 'id' | 'created_at' | 'status'>;

/** An interaction: its state in memory, and its log, which holds all data of unbounded size. */
export class StoredInteraction {
  readonly known: Known;
  /** By the monotonic clock: no lease outlives the process. */
  leaseUntil = -Infinity;
  /** The time since which it is off its chat's active branch. */
  supersededAt: string | null = null;
  /** Kept until the interaction ends; the requests of an ended one are read from its log. */
  requests: readonly RequestRow[] = NONE;
  /** Marks of all its requests, in the order of their creation. */
  requestMarks: readonly RequestMark[] = NONE;
  /** Its child agents. */
  private children: readonly string[];

  constructor(
    start: InteractionStart,
    private current: InteractionState,
    readonly log: RecordLog,
  ) {
    const { id, chat_uid, chat_id, tenant_id, started_by, model, ordinal, created_at } = start;
    const { idempotency, agent_id, edited_from, imported, adopts } = start;
    this.known = {
      ...{ id, chat_uid, chat_id, tenant_id, started_by, model, ordinal, created_at },
      ...{ idempotency, agent_id, edited_from },
      ...(imported && { imported }),
      ...(adopts && { adopts }),
    };
    this.children = current.children ?? NONE;
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

  statusOfRequest(id: string): RequestRow['status'] | undefined {
    return this.requestMarks.find((mark) => mark.id === id)?.status;
  }

  /** Saves one append, then changes to `state`. If saving fails, the state is unchanged. */
  async commit(state: InteractionState, content: LogAppend = { records: NONE }): Promise<void> {
    const show = await this.write(state, content);
    show();
  }

  /** Saves one append; the returned function shows it. */
  async write(to: InteractionState, content: LogAppend = { records: NONE }): Promise<() => void> {
    const begun = content.records.flatMap(startedAgent);
    const children = begun.length > 0 ? [...this.children, ...begun] : this.children;
    const state = children.length > 0 ? withChildren(to, children) : to;
    const show = await this.log.append(content, state);
    return () => {
      show();
      this.current = state;
      this.children = children;
      this.setRequests(foldRequests(this.requests, copyJson(toNotes(content)), this.known));
    };
  }

  /** Like `commit`, for an interaction that goes on after its end: its requests are kept again. */
  async reopen(state: InteractionState, content: LogAppend): Promise<void> {
    const requests = foldRequests(NONE, await this.log.readNotes(), this.known);
    await this.commit(state, content);
    this.setRequests(requests);
  }

  /** Leaves out data that is not kept for an ended interaction. */
  setRequests(rows: readonly RequestRow[]): void {
    const { hasEnded } = this;
    if (rows !== this.requests || (hasEnded && rows.length > 0))
      this.requestMarks = rows.map(({ id, created_at, status }) => {
        return { id, created_at, status: hasEnded && status === 'pending' ? 'closed' : status };
      });
    this.requests = hasEnded ? NONE : rows;
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

  /** Undefined unless it has ended. */
  async readAddedMessages(): Promise<Message[] | undefined> {
    return this.hasEnded ? this.log.readAddedMessages() : undefined;
  }

  /** The root agent and its children. */
  get agentIds(): readonly string[] {
    return [this.known.agent_id, ...this.children];
  }

  /** Called when an interaction that has not ended is loaded: its state doesn't name them yet. */
  async loadChildren(): Promise<void> {
    if (!this.state.has_children || this.hasEnded) return;
    this.children = (await this.log.readRecordsOfTypes(['AGENT_STARTED'])).flatMap(startedAgent);
  }
}

export function toInteractionRow(
  { start, user_message }: InteractionHead,
  state: InteractionState,
  superseded_at: string | null,
): InteractionRow {
  const { id, chat_uid, chat_id, tenant_id, started_by, agent, agent_id, model } = start;
  const { settings, created_at, metadata, edited_from } = start;
  const { parent_id, status, usage, error, completed_at, last_seq } = state;
  const { epoch, signals, cancel_reason, cancelled_by, waits_for = null } = state;
  return {
    ...{ id, chat_uid, chat_id, tenant_id, started_by, parent_id, status, user_message },
    ...{ agent, model, settings, usage, error },
    ...{ created_at, completed_at, superseded_at, last_seq, metadata },
    ...{ epoch, agent_id, edited_from, signals, cancel_reason, cancelled_by, waits_for },
  };
}

function withChildren(state: InteractionState, children: readonly string[]): InteractionState {
  return { ...state, has_children: true, ...(isFinal(state.status) && { children }) };
}

function startedAgent({ agent_id, body }: LogRecord): string[] {
  return body.type === 'AGENT_STARTED' ? [agent_id] : [];
}
