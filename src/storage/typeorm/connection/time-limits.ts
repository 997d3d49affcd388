/** Timeouts of database requests, in milliseconds. */
export interface TimeLimits {
  /** Acquiring or opening a connection. */
  readonly connectMs: number;
  /** An append: a retry on another connection must be possible before the run gives up. */
  readonly appendMs: number;
  /** All other requests. */
  readonly answerMs: number;
  /** A batch whose size is that of a chat: a deletion, the end of an import. */
  readonly longMs: number;
}

/**
 * Part of a limit after which the server ends a statement itself, so that a slow statement neither
 * looks like a lost connection nor is carried out after its error.
 */
const SERVER_SHARE = 0.9;

/** The `statement_timeout` of a server, in milliseconds, for a limit of ours. */
export function statementTimeout(limitMs: number): number {
  return Math.round(limitMs * SERVER_SHARE);
}

const LONGEST_MS = 30_000;

/** @param saveTimeoutMs `SAVE_TIMEOUT_MS` */
export function limitsFor(saveTimeoutMs: number): TimeLimits {
  return {
    connectMs: between(500, saveTimeoutMs / 2, 5000),
    appendMs: between(500, saveTimeoutMs / 2, LONGEST_MS),
    answerMs: between(5000, saveTimeoutMs, LONGEST_MS),
    longMs: 2 * LONGEST_MS,
  };
}

function between(least: number, wanted: number, most: number): number {
  return Math.min(Math.max(wanted, least), most);
}
