import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { RecordType } from '../../protocol/events.js';
import { isFinal } from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import type { ChatDirectory } from './chat-directory.js';
import { appendDurably } from './durable-files.js';
import { completeState } from './earlier-logs.js';
import { toInteractionRow } from './interaction-row.js';
import type { FrameContent } from './log-lines.js';
import { encodeFrame } from './log-lines.js';
import type { LogHead, Span } from './log-reader.js';
import { LogReader } from './log-reader.js';
import { LogRequests } from './log-requests.js';
import type { LogStart } from './log-start.js';
import type { LogState } from './log-state.js';
import type { LogEnds } from './log-tail.js';
import { toRequestRows } from './request-rows.js';
import { SparseOffsets } from './sparse-offsets.js';

/** The part of `LogStart` that is kept in memory. */
type Known = Pick<
  LogStart,
  'id' | 'chat_id' | 'ordinal' | 'created_at' | 'idempotency' | 'agent_id'
>;

const NOTHING: FrameContent = { records: [] };

/**
 * One interaction's file: the truth about it. In memory are only where it stands and who holds it; user message, records and messages are
 * read when somebody asks. Writing is for one caller at a time.
 */
export class InteractionLog {
  readonly known: Known;
  /** By the monotonic clock; a lease doesn't outlive the process. */
  leaseUntil = -Infinity;
  /** Since when it is off its chat's active branch: what chat.json says, and what the logs say that it doesn't know of. */
  supersededAt: string | null = null;
  readonly requests = new LogRequests();
  /** The agents that memory knows of: who answers the message, and children since the log was loaded, or read through. */
  readonly agents = new Set<string>();
  private knowsAgents = false;
  private current: LogState;
  private size = 0;
  private added: Span | undefined;
  private readonly offsets = new SparseOffsets();

  private constructor(
    private readonly directory: ChatDirectory,
    { id, chat_id, ordinal, created_at, idempotency, agent_id }: LogStart,
    state: LogState,
  ) {
    this.known = { id, chat_id, ordinal, created_at, idempotency, agent_id };
    this.current = state;
    if (agent_id) this.agents.add(agent_id); // logs from before there were requests don't say
  }

  /** Writes the first frame: once it is whole, the interaction exists. */
  static async create(
    directory: ChatDirectory,
    { start, first, state }: { start: LogStart; first?: LogRecord; state: LogState },
  ): Promise<InteractionLog> {
    const log = new InteractionLog(directory, start, state);
    await log.commit(state, { start, records: first ? [first] : [] });
    return log;
  }

  static load(directory: ChatDirectory, ends: LogEnds): InteractionLog {
    const { start, commit, commit_bytes, size } = ends;
    const log = new InteractionLog(directory, start, completeState(commit.state, start));
    log.moveTo(size, { end_bytes: commit.end_bytes, commit_bytes });
    return log;
  }

  get id(): string {
    return this.known.id;
  }

  get state(): LogState {
    return this.current;
  }

  /** It holds its chat (I9). */
  get isActive(): boolean {
    return !this.isQueued && !this.hasEnded;
  }

  get isQueued(): boolean {
    return this.current.status === 'QUEUED';
  }

  /** What ends in the queue keeps its rank. */
  get hasBegun(): boolean {
    return this.current.queue_rank === null;
  }

  get hasEnded(): boolean {
    return isFinal(this.current.status);
  }

  /** Writes one frame and then moves on to `state`; if it can't be written, nothing has changed. */
  async commit(state: LogState, content: FrameContent = NOTHING): Promise<void> {
    const show = await this.write(state, content);
    show();
  }

  /**
   * Writes one frame, and answers what lets everybody see it: so frames of two logs come into sight together. It must be called before
   * the next frame of this log is written.
   */
  async write(to: LogState, content: FrameContent = NOTHING): Promise<() => void> {
    const children = content.records.flatMap(startedAgent);
    const state = children.length > 0 ? { ...to, has_children: true } : to;
    const frame = encodeFrame(content, state);
    const offset = this.size;
    const create = content.start !== undefined;
    await appendDurably(this.path, { bytes: frame.bytes, offset, create });
    return () => {
      this.current = state;
      this.moveTo(offset + frame.bytes.length, frame);
      const first = content.records[0];
      if (first) this.offsets.note(first.seq, offset);
      this.requests.apply(content, this.hasEnded);
      for (const id of children) this.agents.add(id);
    };
  }

  /** The interaction as it is now. */
  async readRow(): Promise<InteractionRow> {
    const { current, supersededAt } = this;
    return toInteractionRow(await this.readHead(), current, supersededAt);
  }

  readHead(): Promise<LogHead> {
    return this.reader.readHead(this.id);
  }

  /** As they are now, in the order in which they were made. */
  async readRequests(): Promise<RequestRow[]> {
    const { id, chat_id } = this.known;
    const { request_changes, completed_at } = this.current;
    if (request_changes === 0) return [];
    return toRequestRows(await this.reader.readRequests(), { id, chat_id, completed_at });
  }

  /** In the order in which they were accepted. */
  async readInterventions(): Promise<InterventionRow[]> {
    if (this.current.interventions === 0) return [];
    const { id: interaction_id } = this;
    const saved = await this.reader.readInterventions();
    return saved.map((intervention) => ({ ...intervention, interaction_id }));
  }

  async readRecords(page: { after: number; limit: number }): Promise<LogRecord[]> {
    if (page.after >= this.current.last_seq || page.limit <= 0) return [];
    return this.reader.readRecords(this.id, page);
  }

  async readRecordsOfTypes(types: readonly RecordType[]): Promise<LogRecord[]> {
    return this.reader.readRecordsOfTypes(this.id, types);
  }

  /** Reads which agents it has, unless memory knows of all. Answers whether there was something to read. */
  async readAgents(): Promise<boolean> {
    const { current, known } = this;
    if (this.knowsAgents || (!current.has_children && known.agent_id)) return false;
    const started = await this.readRecordsOfTypes(['INTERACTION_STARTED', 'AGENT_STARTED']);
    for (const { agent_id } of started) this.agents.add(agent_id);
    return (this.knowsAgents = true);
  }

  /** What the interaction added to the conversation; undefined until it ended. */
  async readAddedMessages(): Promise<Message[] | undefined> {
    return this.added && this.reader.readAddedMessages(this.added);
  }

  private get path(): string {
    return this.directory.logFile(this.id);
  }

  /** Sees what is committed now and nothing that comes later. */
  private get reader(): LogReader {
    return new LogReader(this.path, this.size, this.offsets);
  }

  private moveTo(size: number, last: { end_bytes: number; commit_bytes: number }): void {
    this.size = size;
    const to = size - last.commit_bytes;
    if (last.end_bytes > 0) this.added = { from: to - last.end_bytes, to };
  }
}

function startedAgent({ agent_id, body }: LogRecord): string[] {
  return body.type === 'AGENT_STARTED' ? [agent_id] : [];
}
