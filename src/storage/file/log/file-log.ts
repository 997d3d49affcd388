import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { readSpan } from '../../../kernel/disk/read-span.js';
import { recordDamaged } from '../../../persistence/rows/damaged-record.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RecordType } from '../../../protocol/events.js';
import type { Message } from '../../../protocol/message.js';
import type { InteractionState } from '../../memory/core/interaction-state.js';
import type { EventPage, RecordPage } from '../../../persistence/record.store.js';
import { GrowingPage } from '../../memory/core/event-page.js';
import type {
  EventsWanted,
  FirstAppend,
  InteractionHead,
  LogAppend,
  LogNote,
} from '../../memory/core/journal.js';
import { RecordLog } from '../../memory/core/journal.js';
import { editStart, isResultOf, toHead } from '../../memory/core/log-notes.js';
import type { ChatDirectory } from './chat-directory.js';
import { appendDurably } from '../durable-files.js';
import {
  decodeAddedMessages,
  decodeEdited,
  decodeNote,
  decodeRecord,
  decodeStart,
  decodeVisible,
  encodeAppend,
  isKnown,
  isRecord,
  seqOf,
  typeOf,
} from './log-format.js';
import type { EncodedAppend, Span } from './log-format.js';
import type { Line } from './read-lines.js';
import { readLines } from './read-lines.js';
import { SparseOffsets } from './sparse-offsets.js';

/**
 * The file of one interaction, which is its source of truth. Reads see the appends committed at the
 * time of the call.
 */
export class FileLog extends RecordLog {
  /** Size of the committed appends. */
  private size = 0;
  /** Range of the `end` line. */
  private end: Span | undefined;
  /** Range of the `edited` line that counts. */
  private edited: Span | undefined;
  private readonly offsets = new SparseOffsets();

  constructor(
    private readonly directory: ChatDirectory,
    private readonly id: string,
  ) {
    super();
  }

  async create(first: FirstAppend, state: InteractionState): Promise<void> {
    const show = await this.write(first, state);
    show();
  }

  append(content: LogAppend, state: InteractionState): Promise<() => void> {
    return this.write(content, state);
  }

  /** @param last the lengths of the last two lines */
  moveTo(size: number, last: Omit<EncodedAppend, 'bytes'>): void {
    this.size = size;
    this.edited = last.edited;
    const to = size - last.commit_bytes;
    if (last.end_bytes > 0) this.end = { from: to - last.end_bytes, to };
  }

  async readHead(): Promise<InteractionHead> {
    const { edited } = this;
    const lines: Buffer[] = [];
    await this.eachLine(0, ({ bytes }) => lines.push(bytes) < 2);
    const [first, second] = lines;
    if (!first || !second) throw new Error(`${this.path} has no beginning.`);
    const start = decodeStart(first);
    if (edited)
      return toHead(editStart(start, decodeEdited(await this.readSpan(edited))), undefined);
    return toHead(start, isRecord(second) ? this.decode(second) : undefined);
  }

  async readRecords({ after, limit, types }: RecordPage): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    const wanted: ReadonlySet<string> | undefined = types && new Set(types);
    await this.eachLine(this.offsets.before(after + 1), ({ bytes, offset }) => {
      if (!this.isRecord(bytes)) return true;
      const seq = seqOf(bytes);
      this.offsets.note(seq, offset);
      if (seq <= after || (wanted && !mayBe(bytes, wanted))) return true;
      const record = this.decode(bytes);
      if (!wanted || wanted.has(record.body.type)) records.push(record);
      return records.length < limit;
    });
    return records;
  }

  async readEvents({ after, types, ...limits }: EventsWanted): Promise<EventPage> {
    const page = new GrowingPage(limits);
    const wanted: ReadonlySet<string> | undefined = types && new Set(types);
    await this.eachLine(this.offsets.before(after + 1), ({ bytes, offset }) => {
      if (!this.isRecord(bytes)) return true;
      const seq = seqOf(bytes);
      this.offsets.note(seq, offset);
      if (seq <= after || (wanted && !mayBe(bytes, wanted))) return true;
      const { record, body_bytes } = decodeVisible(this.id, bytes);
      if (types && !types.includes(record.body.type)) return true;
      return page.add(record, body_bytes);
    });
    return page.page;
  }

  async readRecordsOfTypes(types: readonly RecordType[]): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    const wanted: ReadonlySet<string> = new Set(types);
    await this.eachLine(0, ({ bytes }) => {
      if (!this.isRecord(bytes) || !mayBe(bytes, wanted)) return true;
      const record = this.decode(bytes);
      if (wanted.has(record.body.type)) records.push(record);
      return true;
    });
    return records;
  }

  async findToolResult(callId: string): Promise<LogRecord<'TOOL_RESULT'> | undefined> {
    let found: LogRecord | undefined;
    const hints = [hintOf('TOOL_RESULT'), Buffer.from(`"id":${JSON.stringify(callId)}`)];
    await this.eachLine(0, ({ bytes }) => {
      if (!isRecord(bytes) || !hints.every((hint) => bytes.includes(hint))) return true;
      const record = this.decode(bytes);
      if (isResultOf(record, callId)) found = record;
      return true;
    });
    return found as LogRecord<'TOOL_RESULT'> | undefined;
  }

  async readNotes(): Promise<LogNote[]> {
    const notes: LogNote[] = [];
    await this.eachLine(0, ({ bytes }) => {
      const note = decodeNote(bytes);
      if (note) notes.push(note);
      return true;
    });
    return notes;
  }

  get addedBytes(): number {
    return this.end ? this.end.to - this.end.from : 0;
  }

  async readAddedMessages(): Promise<Message[] | undefined> {
    const { end } = this;
    return end && decodeAddedMessages(await this.readSpan(end));
  }

  get bytes(): number {
    return this.size;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  private get path(): string {
    return this.directory.logFile(this.id);
  }

  private async write(
    content: LogAppend | FirstAppend,
    state: InteractionState,
  ): Promise<() => void> {
    const offset = this.size;
    const encoded = encodeAppend(content, state, { offset, edited: this.edited });
    const { bytes } = encoded;
    await appendDurably(this.path, { bytes, offset, create: 'start' in content });
    return () => {
      this.moveTo(offset + bytes.length, encoded);
      const first = content.records[0];
      if (first) this.offsets.note(first.seq, offset);
    };
  }

  /** @throws AppError `record_damaged` for a line of no kind, which may have been a record */
  private isRecord(line: Buffer): boolean {
    if (isRecord(line)) return true;
    if (isKnown(line)) return false;
    throw recordDamaged(this.id);
  }

  private decode(line: Buffer): LogRecord {
    return decodeRecord(this.id, line);
  }

  /** Reads lines until `take` returns false. */
  private async eachLine(from: number, take: (line: Line) => boolean): Promise<void> {
    const to = this.size;
    await this.withFile(async (file) => {
      for await (const line of readLines(file, { from, to })) if (!take(line)) return;
    });
  }

  private async readSpan({ from, to }: Span): Promise<Buffer> {
    return this.withFile((file) => readSpan(file, from, to - from));
  }

  private async withFile<T>(body: (file: FileHandle) => Promise<T>): Promise<T> {
    const file = await open(this.path, 'r');
    try {
      return await body(file);
    } finally {
      await file.close();
    }
  }
}

/** False if the line is of a record of another type. */
function mayBe(line: Buffer, types: ReadonlySet<string>): boolean {
  const type = typeOf(line);
  return type === undefined || types.has(type);
}

/** In the line of each record of the type, and maybe in others. */
function hintOf(type: RecordType): Buffer {
  return Buffer.from(`"type":"${type}"`);
}
