import { Tripwire } from '../../guardrails/tripwire.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import { guardedAgent, remarkEntries, trip } from './guarding.js';
import type { AgentScope } from '../scope/agent-scope.js';

/**
 * A text that an agent's own code says, as readers get to see it, and what these are told of that.
 *
 * @throws Tripwire, which ends the run
 */
export function guardText(
  scope: AgentScope,
  agent: AgentIdentity,
  text: string,
): { readonly text: string; readonly remarks: readonly Entry[] } {
  try {
    const output = scope.services.guardrails.open(guardedAgent(agent));
    const whole = output.begin('text');
    const shown = whole.push(text) + whole.end();
    return { text: shown, remarks: remarkEntries(agent.id, output.remarks()) };
  } catch (error) {
    throw error instanceof Tripwire ? trip(scope, error.message) : error;
  }
}
