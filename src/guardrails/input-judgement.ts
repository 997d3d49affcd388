import type { Hidden, HiddenOf } from '../protocol/events.js';

/** The guardrails' verdict on text that a person wrote, as the log keeps it. */
export type InputJudgement = HiddenOf<'INPUT_RECEIVED'>['guarded'];

/**
 * Replaces the input on which a guardrail tripped: no model reads that input, nor in later
 * interactions.
 */
const STOPPED = '[A guardrail stopped what was written here.]';

/** The text to read instead of the input; undefined: the input is read unchanged. */
export function readInstead(judgement: InputJudgement | undefined): string | undefined {
  return judgement?.tripwire === undefined ? judgement?.text : STOPPED;
}

/** The verdict in the record of an input, if there is one. */
export function judgementOf(hidden: Hidden | null): InputJudgement | undefined {
  return hidden && 'guarded' in hidden ? hidden.guarded : undefined;
}
