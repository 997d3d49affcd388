import { recordDamaged, requireBody } from '../../../persistence/rows/damaged-record.js';
import type {
  LogRecord,
  RecordContent,
  RecordOrigin,
} from '../../../persistence/rows/log-record.js';
import type { Message } from '../../../protocol/message.js';
import type { InteractionState } from '../../memory/core/interaction-state.js';
import type {
  EditedText,
  InteractionStart,
  LogAppend,
  LogNote,
} from '../../memory/core/journal.js';
import { toNotes } from '../../memory/core/log-notes.js';

/**
 * The last line of an append. An append without it, or inconsistent with it, was never committed.
 */
export interface Commit {
  readonly records: number;
  /** Length of the append before this line. */
  readonly bytes: number;
  /** Length of the line before this one if that is an `end` line; otherwise 0. */
  readonly end_bytes: number;
  /** Where in the log the `edited` line is that counts, if there is one. */
  readonly edited?: Span;
  readonly state: InteractionState;
}

/** A range of bytes in the whole log. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** An encoded append, with the lengths of its last two lines. */
export interface EncodedAppend {
  readonly bytes: Buffer;
  readonly end_bytes: number;
  readonly commit_bytes: number;
  readonly edited?: Span;
}

/** The log before an append. */
export interface LogPosition {
  readonly offset: number;
  readonly edited: Span | undefined;
}

/**
 * Encodes an append. The lines of a log are JSON objects, distinguished by their first key: `start`
 * once, `edited` with what a queued interaction says instead, `seq` for a record, `request`,
 * `settled`, `intervention`, `end` with the messages added to
 * the conversation, and `commit`, which ends each append. An append is written in one piece.
 */
export function encodeAppend(
  content: LogAppend & { readonly start?: InteractionStart },
  state: InteractionState,
  before: LogPosition = { offset: 0, edited: undefined },
): EncodedAppend {
  const { start, records, added_messages } = content;
  const lines: string[] = [];
  if (start) lines.push(toLine({ start }));
  const line = content.edited ? toLine({ edited: content.edited }) : '';
  const edited = line ? spanOf(before.offset, line) : before.edited;
  if (line) lines.push(line);
  for (const record of records) lines.push(encodeRecord(record));
  for (const note of toNotes(content)) lines.push(toLine(note));
  const end = added_messages ? toLine({ end: { added_messages } }) : '';
  const text = lines.join('') + end;
  const commit: Commit = {
    records: records.length,
    bytes: Buffer.byteLength(text),
    end_bytes: Buffer.byteLength(end),
    ...(edited && { edited }),
    state,
  };
  const bytes = Buffer.from(text + toLine({ commit }));
  const commit_bytes = bytes.length - commit.bytes;
  return { bytes, end_bytes: commit.end_bytes, commit_bytes, ...(edited && { edited }) };
}

/** The span of a line that begins at `from`. */
export function spanOf(from: number, line: string): Span {
  return { from, to: from + Buffer.byteLength(line) };
}

export function isRecord(line: Buffer): boolean {
  return startsWith(line, RECORD);
}

/** False for a line that was damaged. */
export function isKnown(line: Buffer): boolean {
  return KINDS.some((prefix) => startsWith(line, prefix));
}

export function isCommit(line: Buffer): boolean {
  return startsWith(line, COMMIT);
}

/** The seq in the line of a record, without parsing the rest. */
export function seqOf(line: Buffer): number {
  let seq = 0;
  for (let i = RECORD.length; ; i++) {
    const digit = (line[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return seq;
    seq = seq * 10 + digit;
  }
}

/** The type in the line of a record, without parsing the rest; undefined: parse it. */
export function typeOf(line: Buffer): string | undefined {
  const at = line.indexOf(BODY_TYPE);
  if (at < 0) return undefined;
  const from = at + BODY_TYPE.length;
  return line.toString('latin1', from, line.indexOf(QUOTE, from));
}

export function decodeRecord(interactionId: string, line: Buffer): LogRecord {
  try {
    const stored = JSON.parse(line.toString()) as StoredRecord;
    return requireBody({ interaction_id: interactionId, ...stored });
  } catch (error) {
    throw recordDamaged(interactionId, error);
  }
}

/**
 * The record with `hidden: null`, and about the length of its body. The bytes of `,"hidden":` are
 * never inside a string, as its quotes would be escaped there. If an object in the body has such a
 * key, the text before it is no whole object, and the whole line is parsed.
 */
export function decodeVisible(
  interactionId: string,
  line: Buffer,
): { readonly record: LogRecord; readonly body_bytes: number } {
  const end = line.indexOf(HIDDEN);
  const body_bytes = end - Math.max(0, line.indexOf(BODY));
  try {
    const text = `${line.toString('utf8', 0, end)},"hidden":null}`;
    const record = requireBody({ interaction_id: interactionId, ...JSON.parse(text) });
    return { record, body_bytes };
  } catch {
    const record = { ...decodeRecord(interactionId, line), hidden: null } as LogRecord;
    return { record, body_bytes: Buffer.byteLength(JSON.stringify(record.body)) };
  }
}

export function decodeStart(line: Buffer): InteractionStart {
  return (JSON.parse(line.toString()) as { start: InteractionStart }).start;
}

export function decodeEdited(line: Buffer): EditedText {
  return (JSON.parse(line.toString()) as { edited: EditedText }).edited;
}

/** Undefined for a line of another kind. */
export function decodeNote(line: Buffer): LogNote | undefined {
  if (!NOTES.some((prefix) => startsWith(line, prefix))) return undefined;
  return JSON.parse(line.toString()) as LogNote;
}

export function decodeAddedMessages(line: Buffer): Message[] {
  return (JSON.parse(line.toString()) as { end: { added_messages: Message[] } }).end.added_messages;
}

/** Undefined for a line that is truncated, or of another kind. */
export function decodeCommit(line: Buffer): Commit | undefined {
  if (!isCommit(line)) return undefined;
  try {
    return (JSON.parse(line.toString()) as { commit: Commit }).commit;
  } catch {
    return undefined;
  }
}

type StoredRecord = Omit<RecordOrigin, 'interaction_id'> & RecordContent;

const RECORD = Buffer.from('{"seq":');
const BODY = Buffer.from(',"body":');
const BODY_TYPE = Buffer.from(',"body":{"type":"');
const HIDDEN = Buffer.from(',"hidden":');
const COMMIT = Buffer.from('{"commit":');
const NOTES = ['request', 'settled', 'intervention'].map((key) => Buffer.from(`{"${key}":`));
const KINDS = [
  ...['start', 'edited', 'end'].map((key) => Buffer.from(`{"${key}":`)),
  COMMIT,
  ...NOTES,
];
const QUOTE = 34;
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
