/** Timeouts of database requests, in milliseconds. */
export interface TimeLimits {
  /** Acquiring or opening a connection. */
  readonly connectMs: number;
  /** An append: a retry on another connection must be possible before the run gives up. */
  readonly appendMs: number;
  /** All other requests. */
  readonly answerMs: number;
}

const LONGEST_MS = 30_000;

/** @param saveTimeoutMs `SAVE_TIMEOUT_MS` */
export function limitsFor(saveTimeoutMs: number): TimeLimits {
  return {
    connectMs: between(500, saveTimeoutMs / 2, 5000),
    appendMs: between(500, saveTimeoutMs / 2, LONGEST_MS),
    answerMs: between(5000, saveTimeoutMs, LONGEST_MS),
  };
}

function between(least: number, wanted: number, most: number): number {
  return Math.min(Math.max(wanted, least), most);
}
