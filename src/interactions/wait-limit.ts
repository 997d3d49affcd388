/** The longest wait for an end, in milliseconds: proxies give up soon after. */
const MAX_WAIT_MS = 60_000;

const WAIT = /(?:^|,)\s*wait\s*(?:=\s*"?(\d{1,9})"?)?\s*(?:;|,|$)/i;

/**
 * Milliseconds to wait for the end of an interaction before the answer; undefined: no wait.
 * @param wait of the query; it beats the header
 * @param prefer the `Prefer` header (RFC 7240): `wait`, or `wait=<seconds>`
 */
export function waitLimitOf(wait: unknown, prefer = ''): number | undefined {
  if (wait === 'false') return undefined;
  const [found, seconds] = WAIT.exec(prefer) ?? [];
  if (wait !== 'true' && found === undefined) return undefined;
  return seconds === undefined ? MAX_WAIT_MS : Math.min(Number(seconds) * 1_000, MAX_WAIT_MS);
}
