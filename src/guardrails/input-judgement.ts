/** What the guardrails said of what a person wrote, as the log keeps it. */
export interface InputJudgement {
  /** What is read instead. */
  readonly text?: string;
  /** What readers are told. */
  readonly remarks: readonly string[];
  /** Why the run ends. */
  readonly tripwire?: string;
}

/** What a record hides of it from clients. */
export interface GuardedJournal {
  readonly guarded: InputJudgement;
}

/** In the place of what a guardrail tripped on: no model reads that, in later interactions neither. */
const STOPPED = '[A guardrail stopped what was written here.]';

/** What is read instead of the input, if it isn't read as it is. */
export function readInstead(judgement: InputJudgement | undefined): string | undefined {
  return judgement?.tripwire === undefined ? judgement?.text : STOPPED;
}

/** What the record of an input hides, if guardrails have looked at it. */
export function judgementOf(hidden: unknown): InputJudgement | undefined {
  return (hidden as GuardedJournal | null)?.guarded;
}
