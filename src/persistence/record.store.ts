import type { RecordType } from '../protocol/events.js';
import type { LogRecord } from './rows/log-record.js';
import type { AppendBatch, AppendOutcome } from './rows/append-rows.js';

/** Bytes that a record counts for besides its body: the fields that all events have. */
export const EVENT_OVERHEAD = 200;

/** Records as clients may see them: `hidden` is null. */
export interface EventPage {
  readonly records: readonly LogRecord[];
  /** Size of the bodies, with `EVENT_OVERHEAD` for each. */
  readonly bytes: number;
  /** False if nothing follows in the log; it may be true at the end of the log. */
  readonly has_more: boolean;
}

/**
 * The size of a page. It has at least one record, if there is one; it ends before the record with
 * which it would have more than `bytes`.
 */
export interface EventLimits {
  readonly limit: number;
  readonly bytes: number;
}

export interface RecordPage {
  readonly after: number;
  readonly limit: number;
  readonly types?: readonly RecordType[];
}

/**
 * Port: the logs of interactions. A rejection means that the store is unavailable, never an
 * expected outcome.
 */
export abstract class RecordStore {
  /**
   * Commits all batches together; returns the outcomes in the order of `batches`. At most one batch
   * per interaction. A batch that is refused does not affect the others.
   */
  abstract append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]>;
  /**
   * Tells the id of each interaction that an append has promoted: the one before it in its chat has
   * ended. Perhaps more than once, as the end is written again if its outcome was lost. Returns how
   * to stop listening.
   */
  abstract onPromoted(listener: (interactionId: string) => void): () => void;
  /** In order of seq; of all types unless some are given. */
  abstract readRecords(interactionId: string, page: RecordPage): Promise<LogRecord[]>;
  /** In order of seq, without `hidden`, which is not even read where that costs something. */
  abstract readEvents(
    interactionId: string,
    page: { after: number } & EventLimits,
  ): Promise<EventPage>;
  /** The beginning of each log, of some types only; at most `bytes` of each interaction. */
  abstract readEventsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
    bytes: number,
  ): Promise<Map<string, EventPage>>;
  /** The result of a call of an interaction, or of the nearest one before it on its branch. */
  abstract findToolResult(
    interactionId: string,
    callId: string,
  ): Promise<LogRecord<'TOOL_RESULT'> | undefined>;
  /** In order of interaction, then seq. */
  abstract readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]>;
  /** The `last_seq` of each interaction that exists, in a single query. */
  abstract readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>>;
  /** Rejects when the store is unavailable. */
  abstract ping(): Promise<void>;
}
