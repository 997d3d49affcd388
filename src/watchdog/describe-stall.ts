import { url as debuggerUrl } from 'node:inspector';
import { nameOfWork } from '../kernel/async/current-work.js';

/** The global by which the watchdog calls `describeStall`, which it can't import. */
const GLOBAL = Symbol.for('parley.watchdog');
const MAX_FRAMES = 25;
/** This function, the one that is offered, and the expression that calls it. */
const OWN_FRAMES = 3;

/**
 * Evaluated by the watchdog in the middle of what blocks the event loop: also in a loop without
 * calls, and in a regular expression. Names code only; a name can be made of a value, and the URL
 * of a module can contain one, so it is redacted as log lines are.
 */
function describeStall(redact: (line: string) => string): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES + OWN_FRAMES;
  const lines = (new Error('stall').stack ?? '').split('\n').slice(1 + OWN_FRAMES);
  Error.stackTraceLimit = stackTraceLimit;
  const frames = lines.map((line) => line.trim());
  const is_debugged = debuggerUrl() !== undefined;
  return redact(JSON.stringify({ work: nameOfWork(), frames, is_debugged }));
}

export function offerDescription(redact: (line: string) => string): void {
  const value = (): string => describeStall(redact);
  Object.defineProperty(globalThis, GLOBAL, { value, configurable: true });
}
