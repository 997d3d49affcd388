import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';
import type { Message } from '../protocol/message.js';
import type { RunSlot } from '../queue/run-queue.js';
import type { WaitingRuns } from './runner/waiting-runs.js';

/** What a run begins with: the log so far, and the conversation before the interaction. */
export interface RunInput {
  readonly interaction: InteractionRow;
  readonly records: readonly LogRecord[];
  readonly before: readonly Message[];
  /** Set when an earlier run of it was lost: why. */
  readonly resumed?: string;
  /** How many runs before it were lost in a row without a record. */
  readonly losses: number;
}

/** What a run needs of the process that executes it. */
export interface RunEnvironment {
  readonly holdsLease: () => boolean;
  readonly slot: RunSlot;
  readonly waiting: WaitingRuns;
  /** The run has written something besides `RESUMED`, or does nothing but wait in memory. */
  readonly onWell: () => void;
}
