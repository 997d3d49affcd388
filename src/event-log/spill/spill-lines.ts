import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { AppendBatch } from '../../persistence/rows/store-rows.js';

type Implied = Omit<AppendBatch, 'interaction_id' | 'epoch' | 'records'>;

/** One record; the last one of an append carries the rest of it, and so completes it. */
interface SpillLine {
  readonly interaction_id: string;
  readonly epoch: number;
  readonly record: LogRecord | null;
  readonly append?: Implied;
}

export interface SpillContent {
  /** Complete appends, in order. */
  readonly batches: readonly AppendBatch[];
  /** Lines from the first malformed one on, or of an incomplete append. */
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

/** Ignores everything after a malformed line: it would leave a gap (I1). */
export function decodeSpill(text: string): SpillContent {
  const batches: AppendBatch[] = [];
  const lines = text.split('\n').map(parse);
  if (text.endsWith('\n') || text === '') lines.pop();
  let begun: LogRecord[] = [];
  let whole = 0;
  for (const [index, line] of lines.entries()) {
    if (!line) break;
    if (line.record) begun.push(line.record);
    if (!line.append) continue;
    const { interaction_id, epoch, append } = line;
    batches.push({ interaction_id, epoch, records: begun, ...append });
    begun = [];
    whole = index + 1;
  }
  return { batches, torn_lines: lines.length - whole };
}

function parse(line: string): SpillLine | undefined {
  try {
    return JSON.parse(line) as SpillLine;
  } catch {
    return undefined;
  }
}
