import type { CompletingRecord } from './completes.js';
import { LeaseLostError } from '../../event-log/append/lease-lost.error.js';
import { JournalMismatch } from './journal-mismatch.js';
import { abandonable } from './abandonable.js';
import { outsideAgentCode } from '../agent-context/agent-code.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** One journaled step of an agent. Live and replayed, its outcome is read from the record that completed it. */
export interface Effect<T> {
  readonly key: string;
  /** For people, in a mismatch: `the tool calculator`. */
  readonly label: string;
  /** Whether this record can be the completion of this step. */
  matches(record: CompletingRecord): boolean;
  /** Does the work and appends the completing record, unless the run is stopped. */
  run(): Promise<void>;
  /** What the agent gets; may throw what the step failed with. */
  outcome(record: CompletingRecord): T;
}

/** Does the step, or takes its outcome from the journal. Once the run is stopped it starts nothing and never settles. */
export function perform<T>(scope: AgentScope, effect: Effect<T>): Promise<T> {
  if (scope.signal.aborted) return new Promise(() => {});
  if (!scope.log.isHeld) {
    scope.fail(new LeaseLostError());
    return new Promise(() => {});
  }
  const known = scope.journal.find(effect.key);
  if (known && !effect.matches(known)) {
    scope.fail(new JournalMismatch(known, effect.label));
    return new Promise(() => {});
  }
  if (!known) scope.track(outsideAgentCode(() => effect.run()));
  return abandonable(scope.journal.take(effect.key).then((record) => effect.outcome(record)));
}
