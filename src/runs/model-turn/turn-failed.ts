import { Tripwire } from '../../guardrails/tripwire.js';
import type { EventError } from '../../protocol/events.js';
import { AppError } from '../../kernel/app-error.js';
import { trip } from '../guarding/guarding.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** A model turn that failed for good; `code` and `message` are those of its `turn_completed`. */
class TurnFailed extends AppError {
  constructor({ code, message }: EventError) {
    super('unavailable', code, message);
  }
}

/** What an agent gets of a turn that failed; the run ends with it where a guardrail has tripped. */
export function turnFailure(scope: AgentScope, error: EventError): AppError {
  return Tripwire.from(error) ? trip(scope, error.message) : new TurnFailed(error);
}
