import type { LogRecord } from '../persistence/rows/log-record.js';
import type { RecordBody, RecordOf } from '../protocol/events.js';
import type { CrashQuarantine } from './runner/crash-quarantine.js';

/** Time without a record after which a quarantined run yields to others, in milliseconds. */
const QUARANTINE_MS = 5_000;
/**
 * Maximum number of consecutive yields. After that, the run stays until it writes a record: it may
 * crash the process later.
 */
const MAX_QUARANTINES = 3;

export const SLOW_AFTER_LOSS: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'slow_after_loss',
  message: 'The server was lost more than once while this interaction ran. It runs again.',
};

/**
 * Tracks whether a run has proven not to crash the process at once; if so, it leaves the crash
 * quarantine.
 */
export class RunHealth {
  private readonly healthy = new AbortController();

  constructor(
    private readonly quarantine: Pick<CrashQuarantine, 'release'>,
    private readonly interactionId: string,
  ) {}

  /** The run has written a record, or only waits for people, or is over. */
  markHealthy(): void {
    this.healthy.abort();
    this.quarantine.release(this.interactionId);
  }

  /** Stops waiting; the runner releases the interaction. */
  stop(): void {
    this.healthy.abort();
  }

  /**
   * Resolves with true if the run has to write SLOW_AFTER_LOSS, to leave the quarantine without
   * progress.
   */
  async isSlow(records: readonly LogRecord[]): Promise<boolean> {
    const { signal } = this.healthy;
    if (signal.aborted || countQuarantines(records) >= MAX_QUARANTINES) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), QUARANTINE_MS).unref();
      const end = (): void => {
        clearTimeout(timer);
        resolve(false);
      };
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

/** Number of consecutive yields by runs of the interaction, without other progress. */
function countQuarantines(records: readonly LogRecord[]): number {
  const bodies = records.map(({ body }) => body);
  const progress = bodies.findLastIndex((body) => body.type !== 'RESUMED' && !isGivingWay(body));
  return bodies.slice(progress + 1).filter(isGivingWay).length;
}

function isGivingWay(body: RecordBody): boolean {
  return body.type === 'NOTICE' && body.code === SLOW_AFTER_LOSS.code;
}
