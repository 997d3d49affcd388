import type { LogRecord } from '../persistence/rows/log-record.js';
import type { RecordBody, RecordOf } from '../protocol/events.js';
import type { CrashQuarantine } from './runner/crash-quarantine.js';

/**
 * How long a quarantined run may go without a record before it gives way to others, in
 * milliseconds.
 */
const QUARANTINE_MS = 5_000;
/**
 * So often in a row it gives way; after that it stays until it writes: it may crash the process
 * later.
 */
const MAX_QUARANTINES = 3;

export const SLOW_AFTER_LOSS: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'slow_after_loss',
  message: 'The server was lost more than once while this interaction ran. It runs again.',
};

/**
 * Tracks whether a run has proven not to crash the process at once; then it leaves the crash
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
   * Resolves with whether the run is to write SLOW_AFTER_LOSS, to leave the quarantine without
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

/** How often in a row, without other progress, runs of the interaction have given way. */
function countQuarantines(records: readonly LogRecord[]): number {
  const bodies = records.map(({ body }) => body);
  const progress = bodies.findLastIndex((body) => body.type !== 'RESUMED' && !isGivingWay(body));
  return bodies.slice(progress + 1).filter(isGivingWay).length;
}

function isGivingWay(body: RecordBody): boolean {
  return body.type === 'NOTICE' && body.code === SLOW_AFTER_LOSS.code;
}
