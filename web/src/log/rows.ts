import type { RecordEvent } from 'parley/client';

/** A line of the log view. */
export type LogRow =
  | {
      readonly kind: 'turn';
      readonly id: string;
      readonly message: string;
      /** Records of it that are listed, and all. */
      readonly listed: number;
      readonly all: number;
    }
  | { readonly kind: 'record'; readonly record: RecordEvent };

export interface LogFilter {
  /** Text in the JSON of the record; case does not matter. */
  readonly text: string;
  /** null: all. */
  readonly type: RecordEvent['type'] | null;
  readonly order: 'newest' | 'oldest';
}

export interface LogPart {
  readonly id: string;
  readonly message: string;
  readonly records: readonly RecordEvent[];
}

/** Records that a filter lets through, by turns, the oldest first; empty turns are left out. */
export function logRows(parts: readonly LogPart[], filter: LogFilter): readonly LogRow[] {
  const wanted = filter.text.trim().toLowerCase();
  const ordered = filter.order === 'newest' ? [...parts].reverse() : parts;
  return ordered.flatMap(({ id, message, records }): readonly LogRow[] => {
    const found = records.filter(
      (record) =>
        (filter.type === null || record.type === filter.type) &&
        (wanted === '' || textOf(record).includes(wanted)),
    );
    if (found.length === 0) return [];
    const head: LogRow = {
      kind: 'turn',
      ...{ id, message, listed: found.length, all: records.length },
    };
    return [head, ...found.map((record): LogRow => ({ kind: 'record', record }))];
  });
}

/** The types that there are, in the order of the alphabet. */
export function typesIn(parts: readonly LogPart[]): readonly RecordEvent['type'][] {
  const types = new Set(parts.flatMap(({ records }) => records.map(({ type }) => type)));
  return [...types].sort();
}

/** The next record in a direction; headings are stepped over. */
export function stepFrom(rows: readonly LogRow[], index: number, by: 1 | -1): number {
  for (let at = index + by; at >= 0 && at < rows.length; at += by)
    if (rows[at]!.kind === 'record') return at;
  return index;
}

const texts = new WeakMap<RecordEvent, string>();

function textOf(record: RecordEvent): string {
  let text = texts.get(record);
  if (text === undefined) texts.set(record, (text = JSON.stringify(record).toLowerCase()));
  return text;
}
