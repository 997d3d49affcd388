import type { LeaseStore } from '../../../persistence/lease.store.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RecordOf } from '../../../protocol/events.js';
import { isProgress } from '../../../protocol/events.js';

/** Time without progress after which a suspect's run yields to others, in milliseconds. */
const QUARANTINE_MS = 5_000;
/**
 * Maximum number of consecutive yields. After that, the run stays until it makes progress: it may
 * crash the process later.
 */
const MAX_YIELDS = 3;

export const SLOW_AFTER_LOSS: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'slow_after_loss',
  message: 'The server was lost more than once while this interaction ran. It runs again.',
};

interface RunEpoch {
  readonly interaction_id: string;
  readonly epoch: number;
}

/** The group of suspects that this process tries together. */
export interface Quarantine {
  /** The size of the group if the interaction is in it, else 0. */
  trialOf(interactionId: string): number;
  /** The run of the interaction is healthy, or over, or runs on beside others. */
  release(interactionId: string): void;
}

/** When the run of a suspect stops keeping other suspects waiting. */
export class RunHealth {
  private isHealthy = false;
  private stopWaiting: () => void = () => {};

  constructor(
    private readonly quarantine: Quarantine,
    private readonly leases: Pick<LeaseStore, 'leaveTrial'>,
    private readonly run: RunEpoch,
  ) {}

  /** The run has made progress. */
  markHealthy(): void {
    this.stop();
    this.quarantine.release(this.run.interaction_id);
  }

  /** Others join the run, though it has made no progress: it waits for people, or is slow. */
  async leaveTrial(): Promise<void> {
    const { interaction_id, epoch } = this.run;
    this.stop();
    if (this.quarantine.trialOf(interaction_id) === 0) return;
    await this.leases.leaveTrial(interaction_id, epoch);
    this.quarantine.release(interaction_id);
  }

  /** Stops waiting; the runner releases the interaction. */
  stop(): void {
    this.isHealthy = true;
    this.stopWaiting();
  }

  /** Resolves with true if the run has to write SLOW_AFTER_LOSS and to leave the trial. */
  async isSlow(records: readonly LogRecord[]): Promise<boolean> {
    if (this.isHealthy || countYields(records) >= MAX_YIELDS) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), QUARANTINE_MS).unref();
      this.stopWaiting = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }
}

/** Number of consecutive yields by runs of the interaction, without progress. */
function countYields(records: readonly LogRecord[]): number {
  const bodies = records.map(({ body }) => body);
  const since = bodies.slice(bodies.findLastIndex(isProgress) + 1);
  return since.filter((body) => body.type === 'NOTICE' && body.code === SLOW_AFTER_LOSS.code)
    .length;
}
