const MIN_MS = 1_000;
const MAX_MS = 5_000;
const SECOND_MS = 1_000;

/**
 * The pause that a client is asked to make before it returns, in milliseconds, drawn anew each
 * time: clients that are sent away together must not come back together.
 */
export function clientPause(random = Math.random): number {
  return Math.round(MIN_MS + random() * (MAX_MS - MIN_MS));
}

/** The same in whole seconds, for `Retry-After`. */
export function clientPauseInSeconds(random = Math.random): number {
  return Math.round(clientPause(random) / SECOND_MS);
}
