import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { Message } from '../protocol/message.js';

/** Reasons of RESUMED records. */
export const RESUME_REASONS = {
  unsaved: 'what it did could not be saved for a while',
  /** Its work in flight was stopped in order. */
  stopped: 'the server was stopped',
  lost: 'the process that ran it was lost',
} as const;

/** The log so far, and the conversation before the interaction. */
export interface RunInput {
  readonly interaction: InteractionRow;
  readonly records: readonly LogRecord[];
  readonly before: readonly Message[];
  /** Why it was resumed, if an earlier run was lost. */
  readonly resumed?: string;
  /** Number of earlier runs in a row that were lost without a record. */
  readonly losses: number;
}
