import type { JudgedCall, JudgedPart } from './judged-part.js';

/** Whether a rule is about a part of a call. */
export interface Match {
  /** `maybe`: it can't be ruled out. */
  readonly matched: boolean | 'maybe';
  /** The end of a sentence that begins with the rule. */
  readonly why: string;
}

/** A matcher that is ready to judge parts of calls. */
export type CompiledMatcher = (part: JudgedPart, call: JudgedCall) => Match;

export function yes(why: string): Match {
  return { matched: true, why };
}

export function no(why: string): Match {
  return { matched: false, why };
}

export function maybe(why: string): Match {
  return { matched: 'maybe', why };
}
