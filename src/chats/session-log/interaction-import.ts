import { Conversation } from '../../conversation/conversation.js';
import { cancelled } from '../../runs/closing/ending.js';
import { OpenWork } from '../../runs/scope/open-work.js';
import type { Principal } from '../../auth/principal.js';
import type { Clock } from '../../kernel/clock.js';
import type { ArchivedInteraction, IncomingChat } from '../../persistence/chat-archive.js';
import { firstRecord, isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord, RecordContent } from '../../persistence/rows/log-record.js';
import { deciderOf } from '../../protocol/events.js';
import type { RecordBody } from '../../protocol/events.js';
import type { FinalStatus } from '../../protocol/interaction.js';
import { checkRecord, renameRecord } from './imported-record.js';
import { ImportedRequests } from './imported-requests.js';
import type { RecordLine, RequestLine } from './line-schemas.js';
import type { NewIds } from './new-ids.js';
import type { ProblemList } from './problem-list.js';

export interface ImportDeps {
  readonly caller: Principal;
  readonly incoming: IncomingChat;
  readonly ids: NewIds;
  readonly problems: ProblemList;
  readonly clock: Clock;
}

/** A record as it was read; `line` and `bytes` are its position and length. */
export interface ReadRecord {
  readonly line: number;
  readonly bytes: number;
  readonly record: RecordLine;
}

/** Records that may arrive before the one that they follow; they are kept in memory. */
const MAX_EARLY = 256;
const MAX_EARLY_BYTES = 4 * 1024 * 1024;
/** Records that are buffered before they are saved. */
const MAX_UNSAVED = 256;
const MAX_UNSAVED_BYTES = 1024 * 1024;
const WHY =
  'The interaction had not ended when its log was written, or not all of it was imported.';

/**
 * The import of one interaction, which has its new ids already. Records after a gap are refused. If
 * no record ends the interaction, the import ends it as a cancel would.
 */
export class InteractionImport {
  private readonly state: OpenWork;
  private readonly conversation = new Conversation([]);
  private readonly requests: ImportedRequests;
  /** Arrived before the one that they follow; by seq. */
  private readonly early = new Map<number, ReadRecord>();
  private earlyBytes = 0;
  private readonly calls = new Set<string>();
  /** Agents that have begun. */
  private readonly agents: Set<string>;
  private unsaved: LogRecord[] = [];
  private unsavedBytes = 0;
  private epoch: number;
  private lastAt: string;
  private status: FinalStatus | undefined;

  /** @param row as the log has it */
  constructor(
    private readonly deps: ImportDeps,
    private readonly row: ArchivedInteraction,
  ) {
    this.state = new OpenWork(row);
    this.agents = new Set([row.agent_id]);
    this.requests = new ImportedRequests(row);
    this.epoch = row.epoch;
    this.lastAt = row.created_at;
  }

  async takeRecord(read: ReadRecord): Promise<void> {
    const { seq } = read.record;
    if (seq < this.next || this.early.has(seq)) this.refuse(read, 'is here already');
    else if (seq === this.next) await this.takeAll(read);
    else if (this.hasRoomFor(read)) this.keep(read);
    else this.refuse(read, `follows no record ${this.next}`);
  }

  takeRequest(line: number, request: RequestLine): void {
    const id = this.deps.ids.findRequest(request.id);
    const fault = this.requests.take(id, request);
    if (fault) this.deps.problems.add(line, `The line ${fault}.`);
  }

  /** Returns the row in its final state. */
  async end(): Promise<ArchivedInteraction> {
    for (const read of this.early.values()) this.refuse(read, `follows no record ${this.next}`);
    const isWhole = this.status !== undefined;
    if (!isWhole) await this.cancel();
    await this.save();
    const row = this.endedRow(isWhole);
    const requests = this.requests.end(row.completed_at ?? this.lastAt);
    await this.deps.incoming.end(row, { requests, added_messages: this.conversation.added() });
    return row;
  }

  private hasRoomFor({ bytes }: ReadRecord): boolean {
    return this.early.size < MAX_EARLY && this.earlyBytes + bytes <= MAX_EARLY_BYTES;
  }

  private keep(read: ReadRecord): void {
    this.early.set(read.record.seq, read);
    this.earlyBytes += read.bytes;
  }

  private get next(): number {
    return this.state.lastSeq + 1;
  }

  /** Takes the record, and the early ones that follow it. */
  private async takeAll(first: ReadRecord): Promise<void> {
    for (let read: ReadRecord | undefined = first; read; read = this.early.get(this.next)) {
      const { seq } = read.record;
      if (this.early.delete(seq)) this.earlyBytes -= read.bytes;
      const taken = this.toRecord(read.record);
      if (typeof taken === 'string') return this.refuse(read, taken);
      await this.add(taken, read.bytes);
    }
  }

  /** Returns its fault if it has one. */
  private toRecord(read: RecordLine): LogRecord | string {
    const checked = checkRecord(read);
    if (!checked.ok) return `is not as it should be: ${checked.fault}`;
    const { type } = checked.value.body;
    if (this.status && !(this.status === 'FAILED' && type === 'RESUMED'))
      return 'comes after the end of its interaction';
    if ((type === 'INTERACTION_STARTED') !== (read.seq === 1)) return `can't be a ${type}`;
    const { seq, epoch, at, key } = read;
    if (seq === 1) return firstRecord(this.row, { epoch, at });
    const content = renameRecord(checked.value, this.deps.ids);
    if (this.repeatsCall(content)) return 'repeats the id of a call';
    const agent_id = this.deps.ids.agent(read.agent_id);
    if (!this.admits(agent_id, content.body)) return "is of an agent that can't have done that";
    return { interaction_id: this.row.id, seq, epoch, agent_id, at, key, ...content };
  }

  private repeatsCall(content: RecordContent): boolean {
    if (!isRecordOf(content, 'TURN_COMPLETED')) return false;
    const calls = content.hidden?.message.tool_calls ?? [];
    const isRepeated = calls.some(({ id }) => this.calls.has(id));
    for (const { id } of calls) this.calls.add(id);
    return isRepeated;
  }

  /** An agent begins once, after its parent. */
  private admits(agentId: string, body: RecordBody): boolean {
    if (body.type !== 'AGENT_STARTED') return this.agents.has(agentId);
    if (this.agents.has(agentId) || !this.agents.has(body.parent_agent_id)) return false;
    this.agents.add(agentId);
    return true;
  }

  private async add(record: LogRecord, bytes = 0): Promise<void> {
    this.state.apply(record);
    if (record.agent_id === this.row.agent_id) this.conversation.apply(record);
    this.requests.note(record);
    // a retried one goes on after its end
    this.status = record.body.type === 'INTERACTION_COMPLETE' ? record.body.status : undefined;
    this.epoch = Math.max(this.epoch, record.epoch);
    this.lastAt = record.at;
    this.unsaved.push(record);
    this.unsavedBytes += bytes;
    const isFull = this.unsaved.length >= MAX_UNSAVED || this.unsavedBytes >= MAX_UNSAVED_BYTES;
    if (isFull) await this.save();
  }

  private async save(): Promise<void> {
    const records = this.unsaved;
    this.unsaved = [];
    this.unsavedBytes = 0;
    if (records.length > 0) await this.deps.incoming.append(this.row, records);
  }

  /** Nothing of it runs here; its tools ran elsewhere and may have ended there. */
  private async cancel(): Promise<void> {
    const { row, state } = this;
    if (state.lastSeq === 0)
      await this.add(firstRecord(row, { epoch: row.epoch, at: row.created_at }));
    const epoch = this.epoch + 1;
    const settlementOf = (id: string) => this.requests.settlementOf(id);
    const unstoppable = new Map<string, string>();
    const context = { state, unstoppable, settlementOf, limit: whole, epoch, newBlockId };
    const at = this.deps.clock.now().toISOString();
    for (const entry of cancelled(context, { reason: WHY, by: deciderOf(null), models: [] })
      .entries) {
      const origin = { interaction_id: row.id, seq: this.next, epoch, at };
      await this.add({ ...origin, hidden: null, ...entry });
    }
  }

  private endedRow(isWhole: boolean): ArchivedInteraction {
    const { row, lastAt, epoch, state } = this;
    const completed_at = isWhole ? (row.completed_at ?? lastAt) : lastAt;
    const begun = row.status !== 'QUEUED' && (row.begun || !isWhole);
    return {
      ...row,
      ...{ status: this.status ?? 'CANCELLED', completed_at, epoch, begun },
      error: isWhole ? row.error : null,
      superseded_at: row.superseded_at ?? (begun ? null : completed_at),
      last_seq: state.lastSeq,
    };
  }

  private refuse({ line, record }: ReadRecord, fault: string): void {
    this.deps.problems.add(line, `Record ${record.seq} ${fault}.`);
  }
}

/** A cancel without shown text opens no block. */
function newBlockId(): string {
  throw new TypeError('There is no block to be named.');
}

/** A client's output was cut to its limit when it was written. */
function whole(output: string): { readonly output: string } {
  return { output };
}
