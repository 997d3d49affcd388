import type { CompletingRecord } from '../journal/completes.js';
import { LeaseLostError } from '../../event-log/append/lease-lost.error.js';
import { JournalMismatch } from '../journal/journal-mismatch.js';
import { outsideAgentCode } from './agent-code.js';
import type { AgentScope } from '../scope/agent-scope.js';

/**
 * Journaled step of an agent. Its outcome is read from the record that completed it, both live and
 * replayed.
 */
export interface Effect<T> {
  readonly key: string;
  /** Label for people, in a mismatch: `the tool calculator`. */
  readonly label: string;
  /** True if this record can be the completion of this step. */
  matches(record: CompletingRecord): boolean;
  /** Does the work and appends the completing record, unless the run is stopped. */
  run(): Promise<void>;
  /** The result for the agent. @throws the error with which the step failed */
  outcome(record: CompletingRecord): T;
}

/**
 * Performs the step, or takes its outcome from the journal. Once the run is stopped, it starts
 * nothing and never settles.
 */
export function perform<T>(scope: AgentScope, effect: Effect<T>): Promise<T> {
  if (scope.signal.aborted) return new Promise(() => {});
  if (!scope.run.log.isHeld) {
    scope.run.fail(new LeaseLostError());
    return new Promise(() => {});
  }
  const known = scope.run.journal.findCompletion(effect.key);
  if (known && !effect.matches(known)) {
    scope.run.fail(new JournalMismatch(known, effect.label));
    return new Promise(() => {});
  }
  if (!known) scope.track(outsideAgentCode(() => effect.run()));
  return abandonable(
    scope.run.journal.completionOf(effect.key).then((record) => effect.outcome(record)),
  );
}

/**
 * An agent may not wait for its step: a failure must not end the process as an unhandled rejection.
 */
export function abandonable<T>(outcome: Promise<T>): Promise<T> {
  outcome.catch(() => {});
  return outcome;
}
