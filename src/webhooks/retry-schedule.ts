const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** An entry is tried for so long, and then kept for a while as one that was given up. */
export const TRIED_MS = 3 * DAY_MS;
export const KEPT_MS = 7 * DAY_MS;

/**
 * Milliseconds from a failed attempt to the next one: exponential up to an hour, of which a random
 * half, so that entries that failed together are not all tried together.
 * @param attempts failed so far, from 1
 * @param random from 0 to 1
 */
export function retryDelay(attempts: number, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempts - 1));
  return Math.round(full / 2 + (full / 2) * random);
}
