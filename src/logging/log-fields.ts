import { AsyncValue } from '../kernel/async/async-value.js';

/** The run and the trace of some work, which each of its lines in the log names. */
export interface LogFields {
  readonly interaction_id?: string;
  readonly chat_id?: string;
  /** The number of the run. */
  readonly epoch?: number;
  readonly trace_id?: string;
}

const current = new AsyncValue<LogFields>();
const NONE: LogFields = {};

/** Does something, and all that follows from it, with these fields beside those of its caller. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return current.run({ ...current.get(), ...fields }, work);
}

/** Does something for all runs, though one of them may have caused it. */
export function outsideRuns<T>(work: () => T): T {
  return current.run(undefined, work);
}

export function logFields(): LogFields {
  return current.get() ?? NONE;
}
