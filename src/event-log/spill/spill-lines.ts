import type { DataKey, Place } from '../../encryption/data-key.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { AppendBatch } from '../../persistence/rows/append-rows.js';

type Implied = Omit<AppendBatch, 'interaction_id' | 'epoch' | 'records'>;

/** A record; the last one of an append carries the rest of it, and so completes it. */
interface SpillLine {
  readonly interaction_id: string;
  readonly epoch: number;
  readonly record: LogRecord | null;
  readonly append?: Implied;
}

/** A whole append, encrypted. */
export interface SealedLine {
  readonly interaction_id: string;
  readonly epoch: number;
  /** Such as "12 TOOL_STARTED", for people. */
  readonly records: readonly string[];
  readonly enc: string;
}

export interface SpillContent {
  /** Complete appends, in order. */
  readonly batches: readonly AppendBatch[];
  /** Lines from the first one that was changed or is torn on, or of an incomplete append. */
  readonly torn_lines: number;
}

/** An append as lines, each with its newline. */
export function encodeSpill({ interaction_id, epoch, records, ...append }: AppendBatch): string {
  const all: (LogRecord | null)[] = records.length > 0 ? [...records] : [null];
  const lines = all.map((record, index): SpillLine => {
    const isLast = index === all.length - 1;
    return { interaction_id, epoch, record, ...(isLast && { append }) };
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** An append as one line. */
export function sealSpill(key: DataKey, batch: AppendBatch): string {
  const { interaction_id, epoch, records } = batch;
  const line: SealedLine = {
    ...{ interaction_id, epoch },
    records: records.map(({ seq, body }) => `${seq} ${body.type}`),
    enc: key.seal(JSON.stringify(batch), placeOf(interaction_id)),
  };
  return `${JSON.stringify(line)}\n`;
}

/** Ignores everything after a line that was changed or is torn: it would leave a gap (I1). */
export function decodeSpill(text: string, key?: DataKey): SpillContent {
  const batches: AppendBatch[] = [];
  const lines = linesOf(text);
  let begun: LogRecord[] = [];
  let whole = 0;
  for (const [index, line] of lines.entries()) {
    const parsed = parse(line, key);
    if (!parsed) break;
    if ('record' in parsed) {
      if (parsed.record) begun.push(parsed.record);
      if (!parsed.append) continue;
      const { interaction_id, epoch, append } = parsed;
      batches.push({ interaction_id, epoch, records: begun, ...append });
    } else batches.push(parsed);
    begun = [];
    whole = index + 1;
  }
  return { batches, torn_lines: lines.length - whole };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Undefined: malformed, or changed. */
function parse(text: string, key?: DataKey): SpillLine | AppendBatch | undefined {
  try {
    const line = JSON.parse(text) as SpillLine | SealedLine;
    if ('record' in line) return line;
    const { interaction_id, enc } = line;
    return key && (JSON.parse(key.open(enc, placeOf(interaction_id))) as AppendBatch);
  } catch {
    return undefined;
  }
}

function placeOf(interactionId: string): Place {
  return [interactionId, 'spill'];
}
