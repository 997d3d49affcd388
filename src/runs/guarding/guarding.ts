import type { GuardedAgent } from '../../guardrails/guardrail.js';
import { Tripwire } from '../../guardrails/tripwire.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** The agent as guardrails know it. */
export function guardedAgent({
  id: agent_id,
  type: agent_type,
  chat_id,
  interaction_id,
}: Omit<AgentIdentity, 'parent_id' | 'metadata'>): GuardedAgent {
  return { chat_id, interaction_id, agent_id, agent_type };
}

/** Guardrails have spoken: what readers are told. */
export function remarkEntries(agent_id: string, remarks: readonly string[]): Entry[] {
  return remarks.map((message) => ({
    agent_id,
    key: null,
    body: { type: 'NOTICE', code: 'guardrail', message },
  }));
}

/** Ends the run, whatever the agent's code makes of the error that is answered. */
export function trip(scope: AgentScope, message: string): Tripwire {
  const tripwire = new Tripwire(message);
  scope.fail(tripwire);
  return tripwire;
}
