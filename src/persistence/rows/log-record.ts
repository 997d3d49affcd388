import type { RecordBody, RecordEvent } from '../../protocol/events.js';

/** One entry of an interaction's log, as it is stored. */
export interface LogRecord {
  readonly interaction_id: string;
  /** 1, 2, 3… without a gap (I1). */
  readonly seq: number;
  /** The run that wrote it (I6). */
  readonly epoch: number;
  readonly agent_id: string;
  /** ISO 8601 in UTC, milliseconds. */
  readonly at: string;
  /** The journal key of the step it belongs to; null for what no step asked for. */
  readonly key: string | null;
  /** What clients see. */
  readonly body: RecordBody;
  /** What only the journal needs, such as the provider's message; never sent to a client. */
  readonly hidden: unknown;
}

/** The record as clients see it, live and replayed alike. */
export function toEvent(record: LogRecord): RecordEvent {
  const { type, ...rest } = record.body;
  const { interaction_id, agent_id, seq, at } = record;
  return { type, interaction_id, agent_id, seq, at, ...rest } as RecordEvent;
}
