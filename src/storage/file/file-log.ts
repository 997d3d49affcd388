import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import { completeStart } from './earlier-logs.js';
import type { RequestLine, SavedIntervention } from './log-lines.js';
import {
  decodeAddedMessages,
  decodeIntervention,
  decodeRecord,
  decodeRequest,
  decodeStart,
  isRecord,
  seqOf,
} from './log-lines.js';
import type { LogStart } from './log-start.js';
import type { Line } from './read-lines.js';
import { readLines } from './read-lines.js';
import type { SparseOffsets } from './sparse-offsets.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface LogHead {
  readonly start: LogStart;
  readonly user_message: string;
}

/** Reads the committed part of one log, `size` bytes of it. */
export class LogReader {
  constructor(
    private readonly path: string,
    private readonly size: number,
    private readonly offsets: SparseOffsets,
  ) {}

  /** What starts the interaction. Its user message is in record 1, or in `start` if it was queued. */
  async readHead(interactionId: string): Promise<LogHead> {
    const lines: Buffer[] = [];
    await this.eachLine(0, ({ bytes }) => lines.push(bytes) < 2);
    const [first, second] = lines;
    if (!first || !second) throw new Error(`${this.path} has no beginning.`);
    const start = decodeStart(first);
    if (start.queued) return { start, user_message: start.queued.user_message };
    const record = decodeRecord(interactionId, second);
    const { body } = record;
    const user_message = body.type === 'INTERACTION_STARTED' ? body.user_message : '';
    return { start: completeStart(start, record), user_message };
  }

  /** What the log says about requests, in order. */
  async readRequests(): Promise<RequestLine[]> {
    const found: RequestLine[] = [];
    await this.eachLine(0, ({ bytes }) => {
      const line = decodeRequest(bytes);
      if (line) found.push(line);
      return true;
    });
    return found;
  }

  async readInterventions(): Promise<SavedIntervention[]> {
    const found: SavedIntervention[] = [];
    await this.eachLine(0, ({ bytes }) => {
      const intervention = decodeIntervention(bytes);
      if (intervention) found.push(intervention);
      return true;
    });
    return found;
  }

  async readRecords(
    interactionId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    await this.eachLine(this.offsets.before(after + 1), ({ bytes, offset }) => {
      if (!isRecord(bytes)) return true;
      const seq = seqOf(bytes);
      this.offsets.note(seq, offset);
      if (seq > after) records.push(decodeRecord(interactionId, bytes));
      return records.length < limit;
    });
    return records;
  }

  async readRecordsOfTypes(
    interactionId: string,
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    const hints = types.map((type) => Buffer.from(`"type":"${type}"`));
    await this.eachLine(0, ({ bytes }) => {
      if (!isRecord(bytes) || !hints.some((hint) => bytes.includes(hint))) return true;
      const record = decodeRecord(interactionId, bytes);
      if (types.includes(record.body.type)) records.push(record);
      return true;
    });
    return records;
  }

  /** `span` is that of the `end` line. */
  async readAddedMessages({ from, to }: Span): Promise<Message[]> {
    return this.withFile(async (file) => {
      const bytes = Buffer.allocUnsafe(to - from);
      await file.read(bytes, 0, bytes.length, from);
      return decodeAddedMessages(bytes);
    });
  }

  /** Until `take` answers false. */
  private async eachLine(from: number, take: (line: Line) => boolean): Promise<void> {
    await this.withFile(async (file) => {
      for await (const line of readLines(file, { from, to: this.size })) if (!take(line)) return;
    });
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
