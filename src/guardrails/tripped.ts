import { Tripwire } from './tripwire.js';

/** Bounds what a guardrail puts into the log, in characters. */
const MAX_REASON = 2_000;

/** Whatever keeps a guardrail from saying that all is well ends the run. */
export function tripped(name: string, why: unknown): Tripwire {
  const reason = (why instanceof Error ? why.message : String(why)).slice(0, MAX_REASON);
  return new Tripwire(`The guardrail ${name} stopped this run: ${reason || 'it gave no reason'}`);
}
