/** Less is the time that an answer takes, and the seconds that its header leaves out, in ms. */
const LEAST_SKEW = 5000;

let skew = 0;

/** The time in ms since 1970, as the server has it: the clock of the browser may be hours off. */
export function serverNow(): number {
  return Date.now() + skew;
}

/** @param at when the server has answered: its header `Date` */
export function takeServerTime(at: string | null): void {
  const ahead = Date.parse(at ?? '') - Date.now();
  if (!Number.isNaN(ahead)) skew = Math.abs(ahead) < LEAST_SKEW ? 0 : ahead;
}
