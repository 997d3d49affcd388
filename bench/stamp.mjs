/**
 * Marks each delta of the fake model, and nothing else that is on the wire: deltas are counted by
 * it, wherever they were cut or joined.
 */
export const MARK = '^';

const DIGITS = 9;
const CYCLE = 10 ** DIGITS;

/** The machine's monotonic clock, the same in every process, in units of 10 µs: `DIGITS` digits. */
export function stamp() {
  return String(ticks()).padStart(DIGITS, '0');
}

/** Milliseconds since the stamp that stands at `at`. */
export function ageOf(text, at) {
  const age = ticks() - Number(text.slice(at, at + DIGITS));
  return (age < 0 ? age + CYCLE : age) / 100;
}

function ticks() {
  const [seconds, nanoseconds] = process.hrtime();
  return (seconds * 100_000 + Math.floor(nanoseconds / 10_000)) % CYCLE;
}
