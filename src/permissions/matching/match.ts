import type { JudgedCall, JudgedPart } from './judged-part.js';

/** The result of matching a rule against a part of a call. */
export interface Match {
  /** `maybe`: a match can't be excluded. */
  readonly matched: boolean | 'maybe';
  /** The end of a sentence that begins with the rule. */
  readonly why: string;
}

/** A compiled matcher for parts of calls. */
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
