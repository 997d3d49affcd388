import type { RecordType } from '../protocol/events.js';
import type { LogRecord } from './rows/log-record.js';
import type { AppendBatch, AppendOutcome } from './rows/store-rows.js';

/**
 * Port: the logs of interactions. A rejection means that the store is unavailable, never an
 * expected outcome.
 */
export abstract class RecordStore {
  /**
   * One commit for all batches; returns the outcomes in the order of `batches`. At most one batch
   * per interaction.
   */
  abstract append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]>;
  /** In order of seq. */
  abstract readRecords(
    interactionId: string,
    page: { after: number; limit: number },
  ): Promise<LogRecord[]>;
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
