import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { LogRecord, RecordContent, RecordOrigin } from '../../persistence/rows/log-record.js';
import type { NewRequest, Settlement } from '../../persistence/rows/request-rows.js';
import type { Message } from '../../protocol/message.js';
import type { LogStart } from './log-start.js';
import type { LogState } from './log-state.js';

/** What one append writes besides the state it leads to. */
export interface FrameContent {
  readonly start?: LogStart;
  readonly records: readonly LogRecord[];
  readonly requests?: readonly NewRequest[];
  readonly settled?: SettledRequest;
  readonly intervention?: SavedIntervention;
  readonly added_messages?: readonly Message[];
}

export interface SettledRequest {
  readonly id: string;
  readonly settlement: Settlement;
  readonly settled_at: string;
}

/** Of the log's own interaction. */
export type SavedIntervention = Omit<InterventionRow, 'interaction_id'>;

/** The last line of a frame. A frame without it, or that isn't as it says, was never committed. */
export interface Commit {
  readonly records: number;
  /** Length of the frame before this line. */
  readonly bytes: number;
  /** Length of the line before this one, if that is an `end` line; else 0. */
  readonly end_bytes: number;
  readonly state: LogState;
}

/** A frame as it is written, with the lengths of its last two lines. */
export interface Frame {
  readonly bytes: Buffer;
  readonly end_bytes: number;
  readonly commit_bytes: number;
}

/**
 * The lines of a log, JSON objects told apart by their first key: `start` once, `seq` for a record, `request` for what a
 * person is asked, `settled` for what came of it, `intervention` for what a person told an agent, `end` with what was added to the conversation, and `commit`, which closes each frame. A frame is written in one piece.
 */
export function encodeFrame(content: FrameContent, state: LogState): Frame {
  const { start, records, requests = [], settled, intervention, added_messages } = content;
  const lines: string[] = [];
  if (start) lines.push(toLine({ start }));
  for (const record of records) lines.push(encodeRecord(record));
  for (const request of requests) lines.push(toLine({ request }));
  if (settled) lines.push(toLine({ settled }));
  if (intervention) lines.push(toLine({ intervention }));
  const end = added_messages ? toLine({ end: { added_messages } }) : '';
  const text = lines.join('') + end;
  const commit: Commit = {
    records: records.length,
    bytes: Buffer.byteLength(text),
    end_bytes: Buffer.byteLength(end),
    state,
  };
  const bytes = Buffer.from(text + toLine({ commit }));
  return { bytes, end_bytes: commit.end_bytes, commit_bytes: bytes.length - commit.bytes };
}

export function isRecord(line: Buffer): boolean {
  return startsWith(line, RECORD);
}

export function isCommit(line: Buffer): boolean {
  return startsWith(line, COMMIT);
}

/** The number of a record's line, without parsing the rest. */
export function seqOf(line: Buffer): number {
  let seq = 0;
  for (let i = RECORD.length; ; i++) {
    const digit = (line[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return seq;
    seq = seq * 10 + digit;
  }
}

export function decodeRecord(interactionId: string, line: Buffer): LogRecord {
  return { interaction_id: interactionId, ...(JSON.parse(line.toString()) as StoredRecord) };
}

export function decodeStart(line: Buffer): LogStart {
  return (JSON.parse(line.toString()) as { start: LogStart }).start;
}

/** A line about a request; undefined for any other. */
export function decodeRequest(line: Buffer): RequestLine | undefined {
  if (!startsWith(line, REQUEST) && !startsWith(line, SETTLED)) return undefined;
  return JSON.parse(line.toString()) as RequestLine;
}

/** Undefined if the line is no intervention. */
export function decodeIntervention(line: Buffer): SavedIntervention | undefined {
  if (!startsWith(line, INTERVENTION)) return undefined;
  return (JSON.parse(line.toString()) as { intervention: SavedIntervention }).intervention;
}

export function decodeAddedMessages(line: Buffer): Message[] {
  return (JSON.parse(line.toString()) as { end: { added_messages: Message[] } }).end.added_messages;
}

/** Undefined if the line is no whole commit line. */
export function decodeCommit(line: Buffer): Commit | undefined {
  if (!isCommit(line)) return undefined;
  try {
    return (JSON.parse(line.toString()) as { commit: Commit }).commit;
  } catch {
    return undefined;
  }
}

export type RequestLine = { readonly request: NewRequest } | { readonly settled: SettledRequest };

type StoredRecord = Omit<RecordOrigin, 'interaction_id'> & RecordContent;

const RECORD = Buffer.from('{"seq":');
const REQUEST = Buffer.from('{"request":');
const INTERVENTION = Buffer.from('{"intervention":');
const SETTLED = Buffer.from('{"settled":');
const COMMIT = Buffer.from('{"commit":');
const ZERO = 48;

function encodeRecord({ seq, epoch, agent_id, at, key, body, hidden }: LogRecord): string {
  return toLine({ seq, epoch, agent_id, at, key, body, hidden });
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function startsWith(line: Buffer, prefix: Buffer): boolean {
  return (
    line.length >= prefix.length && line.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
  );
}
