import type {
  HiddenOf,
  RecordBody,
  RecordEvent,
  RecordOf,
  RecordType,
} from '../../protocol/events.js';
import type { InteractionRow } from './interaction-row.js';

/**
 * The content of a record: `body` is visible to clients; `hidden` is used only by the journal, such
 * as the provider's message. It is never sent to a client, nor over the live bus.
 */
export type RecordContent<T extends RecordType = RecordType> =
  | {
      [K in T]: { readonly body: RecordOf<K>; readonly hidden: HiddenOf<K> | null };
    }[T]
  | { readonly body: RecordOf<T>; readonly hidden: null };

export interface RecordOrigin {
  readonly interaction_id: string;
  /** 1, 2, 3… without a gap (I1). */
  readonly seq: number;
  /** The epoch of the run that wrote it (I6). */
  readonly epoch: number;
  readonly agent_id: string;
  /** ISO 8601 in UTC, milliseconds. */
  readonly at: string;
  /** The journal key of the step that the record belongs to; null if it belongs to none. */
  readonly key: string | null;
}

/** An entry of an interaction's log, as it is stored; a union by `body.type`. */
export type LogRecord<T extends RecordType = RecordType> = RecordOrigin & RecordContent<T>;

/** Narrows a record, or the content of a future record, to a type: `body` and `hidden` at once. */
export function isRecordOf<R extends { readonly body: RecordBody }, T extends RecordType>(
  record: R,
  type: T,
): record is Extract<R, { readonly body: RecordOf<T> }> {
  return record.body.type === type;
}

/** The record as clients see it, both live and replayed. */
export function toEvent(record: LogRecord): RecordEvent {
  const { type, ...rest } = record.body;
  const { interaction_id, agent_id, seq, at } = record;
  return { type, interaction_id, agent_id, seq, at, ...rest } as RecordEvent;
}

/**
 * An INTERACTION_COMPLETE that is not the last record of its log, as clients see it: the
 * interaction was retried, and each reader sees one end, the last.
 */
export function toRetriedEvent(record: LogRecord<'INTERACTION_COMPLETE'>): RecordEvent {
  const message = `The interaction had ended ${record.body.status}, and is tried again.`;
  return toEvent({ ...record, body: { type: 'NOTICE', code: 'retried', message }, hidden: null });
}

type Started = Omit<RecordOf<'INTERACTION_STARTED'>, 'type' | 'edited_from' | 'by' | 'files'> &
  Pick<InteractionRow, 'edited_from' | 'started_by'>;

/** The event that begins an interaction. */
export function startedBody(row: Started): RecordOf<'INTERACTION_STARTED'> {
  const { chat_id, user_message, agent, model, parent_id, edited_from, started_by } = row;
  return {
    type: 'INTERACTION_STARTED',
    ...{ chat_id, user_message, agent, model, parent_id },
    ...(edited_from !== null && { edited_from }),
    by: { kind: 'user', user_id: started_by },
  };
}

/** Record 1 of an interaction, written by its root agent. */
export function firstRecord(
  row: Started & Pick<InteractionRow, 'id' | 'agent_id'>,
  { epoch, at }: Pick<LogRecord, 'epoch' | 'at'>,
): LogRecord {
  const { id: interaction_id, agent_id } = row;
  const origin = { interaction_id, seq: 1, epoch, agent_id, at, key: null };
  return { ...origin, body: startedBody(row), hidden: null };
}
