import type { ModelPrice } from '../../protocol/budget.js';
import { toDollars } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';

const MILLION = 1_000_000;

/** The usage of one model, with its cost if the price is known. A cost that it has remains. */
export function withCost(usage: Usage, price: ModelPrice | undefined): Usage {
  if (!price || usage.cost_usd !== undefined) return usage;
  const { input_tokens, output_tokens, cached_tokens = 0, cache_write_tokens = 0 } = usage;
  const { input, output, cached_input = input, cache_write = input } = price;
  const uncached = Math.max(input_tokens - cached_tokens - cache_write_tokens, 0) * input;
  const cached = cached_tokens * cached_input + cache_write_tokens * cache_write;
  return { ...usage, cost_usd: toDollars((uncached + cached + output_tokens * output) / MILLION) };
}
