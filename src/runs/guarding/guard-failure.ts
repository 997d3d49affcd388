import type { GuardedAgent } from '../../guardrails/guardrail.js';
import { Tripwire } from '../../guardrails/tripwire.js';
import type { EventError } from '../../protocol/events.js';
import { describeFailure } from '../agent-context/describe-failure.js';
import { GuardedResult } from './guarded-result.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** What people and models get to read of what an agent has failed with: a guardrail that trips on that is what it has failed with. */
export function guardFailure(scope: AgentScope, about: GuardedAgent, cause: unknown): EventError {
  const failure = describeFailure(cause);
  const guarded = new GuardedResult(scope, about);
  const message = guarded.read(failure.message);
  return guarded.tripwire === undefined
    ? { code: failure.code, message }
    : describeFailure(new Tripwire(guarded.tripwire));
}
