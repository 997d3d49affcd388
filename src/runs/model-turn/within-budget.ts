import type { AgentScope } from '../scope/agent-scope.js';

/** Maximum delay of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 2;
/** Minimum delay until the budget is looked at again, while a person is asked. */
const MIN_TIMER_MS = 100;

/**
 * Runs work of an agent, and stops it when the time budget of the agent, or of one above it, is
 * used up.
 *
 * @throws AppError `budget_exceeded`, also if a budget is used up before the work begins
 */
export async function withinBudget<T>(
  scope: AgentScope,
  agentId: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  requireBudget(scope, agentId);
  const { run, signal } = scope;
  const left_ms = run.budgets.remainingMs(agentId, run.now);
  if (left_ms === undefined || left_ms > MAX_TIMER_MS) return work(signal);
  const limited = new AbortController(); // AbortSignal.any costs several times as much
  const follow = (): void => limited.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow);
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<never>((_, reject) => {
    const look = (): void => {
      const rest_ms = run.budgets.remainingMs(agentId, run.now) ?? 0;
      if (rest_ms === 0) {
        limited.abort();
        return reject(limited.signal.reason as Error);
      }
      timer = setTimeout(look, Math.max(rest_ms, MIN_TIMER_MS)).unref(); // a person was asked meanwhile
    };
    timer = setTimeout(look, left_ms + 1).unref();
  });
  try {
    return await Promise.race([work(limited.signal), timeIsUp]);
  } catch (error) {
    if (limited.signal.aborted && !signal.aborted) requireBudget(scope, agentId);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}

function requireBudget({ run }: AgentScope, agentId: string): void {
  const over = run.budgets.exceeded(agentId, run.now);
  if (over) throw over;
}
