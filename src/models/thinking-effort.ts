import type { Thinking, ThinkingEffort } from '../protocol/thinking.js';

/** The tokens that an effort stands for, where a model takes only one of the two. */
const BUDGETS: Readonly<Record<ThinkingEffort, number>> = {
  low: 2_048,
  medium: 8_192,
  high: 24_576,
};

/** For models that take no number of tokens: the highest effort within the budget. */
export function effortOf(thinking: Thinking): ThinkingEffort {
  if (typeof thinking === 'string') return thinking;
  const { budget_tokens } = thinking;
  if (budget_tokens >= BUDGETS.high) return 'high';
  return budget_tokens >= BUDGETS.medium ? 'medium' : 'low';
}

/** For models that take a number of tokens only. */
export function budgetOf(effort: ThinkingEffort): number {
  return BUDGETS[effort];
}
