import type { Activity } from './activity.js';
import { CallIds } from '../../conversation/call-ids.js';
import type { Leftovers } from './leftovers.js';
import { AgentScope } from './agent-scope.js';
import { RunScope } from './run-scope.js';
import { treeBudget } from '../limits/tree-budget.js';
import type { Journal } from '../journal/journal.js';
import type { RunLog } from '../../event-log/append/run-log.js';
import type { RunServices } from '../run-services.js';
import type { RunInput } from '../run-input.js';

export interface NewRunScopeOptions {
  readonly log: RunLog;
  readonly journal: Journal;
  readonly leftovers: Leftovers;
  readonly signal: AbortSignal;
  readonly onActivity: (activity: Activity) => void;
}

/** What the agents of a run work in, by the settings of the process and of the interaction. */
export function newRunScope(
  deps: RunServices,
  { interaction, before, records }: RunInput,
  { signal, ...options }: NewRunScopeOptions,
): AgentScope {
  const { config } = deps;
  const call_ids = new CallIds(deps.ids);
  call_ids.addFrom(before);
  for (const { body } of records) if (body.type === 'TOOL_CALL') call_ids.add(body.id);
  const shared = new RunScope({
    ...options,
    ...{ interaction, before, call_ids },
    services: deps,
    request_timeout_ms: config.approvalTimeoutMs,
    limits: config,
    budget: treeBudget(interaction.settings.budget, config),
    prices: config.modelPrices ?? {},
    context: config,
  });
  return new AgentScope(shared, signal);
}
