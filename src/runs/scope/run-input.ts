import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { EarlierConversation } from '../context-window/earlier-conversation.js';

/** Reasons of RESUMED records. */
export const RESUME_REASONS = {
  unsaved: 'its records could not be saved for a while',
  /** It was given up before another run could take it over. */
  unrenewed: 'the database was unavailable, and its lease could not be renewed',
  /** Its work in progress was stopped in an orderly shutdown. */
  stopped: 'the server was stopped',
  /** The process did not renew its lease in time, and ended the run without closing its work. */
  starved: 'the process was too busy to renew its lease',
  lost: 'the process that ran it was lost',
  retried: 'it had been given up, and a retry was requested',
} as const;

/** True if the retry that this run follows has said already that the interaction goes on. */
export function isRetried(last: LogRecord, { epoch }: Pick<InteractionRow, 'epoch'>): boolean {
  const isTold = last.body.type === 'RESUMED' && last.body.reason === RESUME_REASONS.retried;
  return isTold && last.epoch === epoch - 1;
}

/** The log so far, and the conversation before the interaction. */
export interface RunInput extends EarlierConversation {
  readonly interaction: InteractionRow;
  readonly records: readonly LogRecord[];
  /** Reason of the resumption, if an earlier run was lost. */
  readonly resumed?: string;
  /** Losses that the `Lease` reports. */
  readonly losses: number;
  readonly alone_losses: number;
}
