import type { RecordType } from '../protocol/events.js';
import type { LogRecord } from './rows/log-record.js';
import type { AppendBatch, AppendOutcome } from './rows/store-rows.js';

/** Port: the logs of interactions. Rejections mean that the store is unavailable, never an expected outcome. */
export abstract class RecordStore {
  /** One commit for all; answers in the order of `batches`. At most one batch per interaction. */
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
  /** `last_seq` of each that exists; one query however many are asked for. */
  abstract readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>>;
  /** Rejects when the store can't serve. */
  abstract ping(): Promise<void>;
}
