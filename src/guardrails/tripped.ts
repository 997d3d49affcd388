import { Tripwire } from './tripwire.js';

/** Maximum length of the reason that a guardrail writes to the log, in characters. */
const MAX_REASON = 2_000;

/** The Tripwire of a guardrail. Any failure to return a valid verdict ends the run, too. */
export function tripped(name: string, why: unknown): Tripwire {
  const reason = (why instanceof Error ? why.message : String(why)).slice(0, MAX_REASON);
  return new Tripwire(`The guardrail ${name} stopped this run: ${reason || 'it gave no reason'}`);
}
