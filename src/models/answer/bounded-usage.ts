import { isObject } from '../../kernel/json/json.js';
import { toDollars } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';
import { tokens } from './turn-fold.js';

/**
 * The usage that a provider sent, which may be anything: counts that every store can hold, no part
 * larger than its whole, and no cost below 0.
 */
export function boundedUsage(sent: unknown): Usage {
  const usage = isObject(sent) ? sent : {};
  const input_tokens = tokens(usage.input_tokens);
  const output_tokens = tokens(usage.output_tokens);
  const cached_tokens = partOf(input_tokens, usage.cached_tokens);
  const uncached = input_tokens - (cached_tokens ?? 0);
  const cache_write_tokens = partOf(uncached, usage.cache_write_tokens);
  const reasoning_tokens = partOf(output_tokens, usage.reasoning_tokens);
  const cost_usd = costOf(usage.cost_usd);
  return {
    ...{ input_tokens, output_tokens },
    ...(cached_tokens !== undefined && { cached_tokens }),
    ...(cache_write_tokens !== undefined && { cache_write_tokens }),
    ...(reasoning_tokens !== undefined && { reasoning_tokens }),
    ...(cost_usd !== undefined && { cost_usd }),
  };
}

/** Undefined: not told. */
function partOf(whole: number, sent: unknown): number | undefined {
  return sent === undefined || sent === null ? undefined : Math.min(tokens(sent), whole);
}

function costOf(sent: unknown): number | undefined {
  const isCost = typeof sent === 'number' && Number.isFinite(sent) && sent >= 0;
  return isCost ? toDollars(sent) : undefined;
}
