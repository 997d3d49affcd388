import type { Budget } from '../../protocol/budget.js';

/** 0: no limit. */
export interface BudgetSettings {
  readonly maxTokens: number;
  readonly maxWallTimeMs: number;
  readonly maxCostUsd: number;
}

/** What the tree of an interaction may use: what its start asked for, and never more than the server allows. */
export function treeBudget(wanted: Budget | undefined, settings: BudgetSettings): Budget {
  const allowed: Budget = {
    ...(settings.maxTokens > 0 && { tokens: settings.maxTokens }),
    ...(settings.maxWallTimeMs > 0 && { wall_time_ms: settings.maxWallTimeMs }),
    ...(settings.maxCostUsd > 0 && { cost_usd: settings.maxCostUsd }),
  };
  const names = ['tokens', 'tool_calls', 'wall_time_ms', 'cost_usd'] as const;
  const bounds = names.flatMap((name) => {
    const given = [wanted?.[name], allowed[name]].filter((bound) => bound !== undefined);
    return given.length > 0 ? [[name, Math.min(...given)] as const] : [];
  });
  return Object.fromEntries(bounds);
}
