import type { AgentScope } from '../scope/agent-scope.js';
import { untilAborted } from '../../kernel/abort.js';

/** setTimeout can't wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 2;

/**
 * Work of an agent that is stopped in its middle when the time of the agent, or of one above it, is
 * over.
 *
 * @throws AppError `budget_exceeded`, also if a budget is used up before it begins
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
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), left_ms + 1).unref();
  const either = AbortSignal.any([signal, time.signal]);
  try {
    return await untilAborted(work(either), either);
  } catch (error) {
    if (time.signal.aborted && !signal.aborted) requireBudget(scope, agentId);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function requireBudget({ run }: AgentScope, agentId: string): void {
  const over = run.budgets.exceeded(agentId, run.now);
  if (over) throw over;
}
