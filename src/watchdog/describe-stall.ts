import { url as debuggerUrl } from 'node:inspector';
import { nameOfWork } from '../kernel/current-work.js';

/** The global by which the watchdog calls `describeStall`, which it can't import. */
const GLOBAL = Symbol.for('parley.watchdog');
const MAX_FRAMES = 25;
/** This function, and the expression that calls it. */
const OWN_FRAMES = 2;

/**
 * Evaluated by the watchdog in the middle of what blocks the event loop: also in a loop without
 * calls, and in a regular expression. Names code only, never a value.
 */
function describeStall(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES + OWN_FRAMES;
  const lines = (new Error('stall').stack ?? '').split('\n').slice(1 + OWN_FRAMES);
  Error.stackTraceLimit = stackTraceLimit;
  const frames = lines.map((line) => line.trim());
  return JSON.stringify({ work: nameOfWork(), frames, is_debugged: debuggerUrl() !== undefined });
}

export function offerDescription(): void {
  Object.defineProperty(globalThis, GLOBAL, { value: describeStall, configurable: true });
}
