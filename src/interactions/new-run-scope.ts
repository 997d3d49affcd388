import type { Activity } from '../agents/runtime/activity.js';
import { CallIds } from '../agents/runtime/call-ids.js';
import type { Leftovers } from '../agents/runtime/leftovers.js';
import { RunScope } from '../agents/runtime/run-scope.js';
import { SharedScope } from '../agents/runtime/shared-scope.js';
import { treeBudget } from '../agents/runtime/tree-budget.js';
import type { Journal } from '../agents/journal/journal.js';
import type { RunLog } from '../log/run-log.js';
import type { RunDeps } from './run-deps.js';
import type { RunStart } from './run-start.js';

export interface NewRunScopeOptions {
  readonly log: RunLog;
  readonly journal: Journal;
  readonly leftovers: Leftovers;
  readonly signal: AbortSignal;
  readonly onActivity: (activity: Activity) => void;
}

/** What the agents of a run work in, by the settings of the process and of the interaction. */
export function newRunScope(
  deps: RunDeps,
  { interaction, before, records }: RunStart,
  { signal, ...options }: NewRunScopeOptions,
): RunScope {
  const { config } = deps;
  const call_ids = new CallIds(deps.ids);
  call_ids.addFrom(before);
  for (const { body } of records) if (body.type === 'TOOL_CALL') call_ids.add(body.id);
  const shared = new SharedScope({
    ...options,
    ...{ interaction, before, call_ids },
    services: deps,
    request_timeout_ms: config.approvalTimeoutMs,
    limits: config,
    budget: treeBudget(interaction.settings.budget, config),
    prices: config.modelPrices ?? {},
    context: config,
  });
  return new RunScope(shared, signal);
}
