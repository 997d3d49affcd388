import type { Hidden, HiddenOf } from '../protocol/events.js';

/** The guardrails' verdict on text that a person wrote, as the log keeps it. */
export type InputJudgement = HiddenOf<'INPUT_RECEIVED'>['guarded'];

/** In the place of what a guardrail tripped on: no model reads that, in later interactions neither. */
const STOPPED = '[A guardrail stopped what was written here.]';

/** What is read instead of the input, if it isn't read as it is. */
export function readInstead(judgement: InputJudgement | undefined): string | undefined {
  return judgement?.tripwire === undefined ? judgement?.text : STOPPED;
}

/** The verdict that the record of an input keeps, if there is one. */
export function judgementOf(hidden: Hidden | null): InputJudgement | undefined {
  return hidden && 'guarded' in hidden ? hidden.guarded : undefined;
}
