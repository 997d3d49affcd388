import type { Usage } from '../../client/index.js';

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const cost =
    a.cost_usd === undefined && b.cost_usd === undefined
      ? undefined
      : (a.cost_usd ?? 0) + (b.cost_usd ?? 0);
  const cached = (a.cached_tokens ?? 0) + (b.cached_tokens ?? 0);
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    ...(cached > 0 && { cached_tokens: cached }),
    ...(cost !== undefined && { cost_usd: cost }),
  };
}
