import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { Message } from '../protocol/message.js';

/** Reasons of RESUMED records. */
export const RESUME_REASONS = {
  unsaved: 'what it did could not be saved for a while',
  /** Its work in progress was stopped in an orderly shutdown. */
  stopped: 'the server was stopped',
  lost: 'the process that ran it was lost',
} as const;

/** The log so far, and the conversation before the interaction. */
export interface RunInput {
  readonly interaction: InteractionRow;
  readonly records: readonly LogRecord[];
  readonly before: readonly Message[];
  /** Reason of the resumption, if an earlier run was lost. */
  readonly resumed?: string;
  /** Number of consecutive earlier runs that were lost without a record. */
  readonly losses: number;
}
