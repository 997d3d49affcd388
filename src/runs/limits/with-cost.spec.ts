import { addUsage } from '../../protocol/interaction.js';
import { withCost } from './with-cost.js';

const USED = { input_tokens: 1_000_000, output_tokens: 100_000 };

describe(withCost.name, () => {
  it('leaves the cost out where there is no price', () => {
    expect(withCost(USED, undefined)).toEqual(USED);
    expect(withCost(USED, { input: 0, output: 0 })).toEqual({ ...USED, cost_usd: 0 });
  });

  it('has a price for cached input, which is that of input unless it is given', () => {
    const used = { ...USED, cached_tokens: 400_000 };
    const price = { input: 1, output: 10 };
    expect(withCost(used, price).cost_usd).toBe(2);
    expect(withCost(used, { ...price, cached_input: 0.1 }).cost_usd).toBe(1.64);
  });

  it('has a price for input that is written to the cache', () => {
    const used = { ...USED, cached_tokens: 400_000, cache_write_tokens: 200_000 };
    const price = { input: 1, cached_input: 0.1, output: 10 };
    expect(withCost(used, price)).toEqual({ ...used, cost_usd: 1.64 });
    expect(withCost(used, { ...price, cache_write: 1.25 }).cost_usd).toBe(1.69);
    expect(withCost(used, undefined)).toEqual(used);
  });

  it('is never below 0, and a number, whatever was counted', () => {
    const price = { input: 1, cached_input: 0.1, output: 10 };
    const used = { input_tokens: 10, output_tokens: 0, cached_tokens: 100 };
    expect(withCost(used, price).cost_usd).toBeCloseTo(0.00001, 10);
    const huge = { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 0 };
    const costly = withCost(huge, { input: 1e308, output: 1 });
    expect(costly.cost_usd).toBe(Number.MAX_SAFE_INTEGER);
    expect(addUsage(costly, costly).cost_usd).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('keeps a cost that is there', () => {
    const used = { ...USED, cost_usd: 3 };
    expect(withCost(used, { input: 1, output: 10 })).toEqual(used);
  });
});

describe(addUsage.name, () => {
  it('adds what is there, without digits that fractions bring', () => {
    const one = { ...USED, cached_tokens: 1, cache_write_tokens: 2, cost_usd: 0.1 };
    const other = { ...USED, reasoning_tokens: 0, cost_usd: 0.2 };
    expect(addUsage(one, other)).toEqual({
      ...{ input_tokens: 2_000_000, output_tokens: 200_000 },
      ...{ cached_tokens: 1, cache_write_tokens: 2, reasoning_tokens: 0, cost_usd: 0.3 },
    });
    expect(addUsage(USED, { input_tokens: 0, output_tokens: 0 })).toEqual(USED);
  });
});
