import { boundedUsage } from './bounded-usage.js';

const MOST = Number.MAX_SAFE_INTEGER;
const NONE = { input_tokens: 0, output_tokens: 0 };

describe(boundedUsage.name, () => {
  it.each<[unknown, object]>([
    [undefined, NONE],
    ['12', NONE],
    [[{ input_tokens: 3 }], NONE],
    [{ input_tokens: 10 }, { input_tokens: 10, output_tokens: 0 }],
    [
      { input_tokens: '12', output_tokens: 3.6 },
      { input_tokens: 12, output_tokens: 4 },
    ],
    [{ input_tokens: -5, output_tokens: NaN }, NONE],
    [
      { input_tokens: 1e300, output_tokens: Infinity },
      { input_tokens: MOST, output_tokens: MOST },
    ],
    [
      { input_tokens: 2 ** 60, output_tokens: '1e300' },
      { input_tokens: MOST, output_tokens: MOST },
    ],
    [{ ...NONE, cached_tokens: null, reasoning_tokens: undefined }, NONE],
    [{ ...NONE, unknown_tokens: 3 }, NONE],
  ])('takes %p as %p', (sent, usage) => {
    expect(boundedUsage(sent)).toEqual(usage);
  });

  it.each<[string, object, object]>([
    ['more cached', { cached_tokens: 90 }, { cached_tokens: 10 }],
    ['fewer than none cached', { cached_tokens: -1 }, { cached_tokens: 0 }],
    ['more written', { cache_write_tokens: 1e300 }, { cache_write_tokens: 10 }],
    [
      'more cached and written',
      { cached_tokens: 7, cache_write_tokens: 7 },
      { cached_tokens: 7, cache_write_tokens: 3 },
    ],
    ['more thoughts', { reasoning_tokens: '90' }, { reasoning_tokens: 4 }],
  ])('has no part that is more than its whole: %s', (_, sent, parts) => {
    const whole = { input_tokens: 10, output_tokens: 4 };
    expect(boundedUsage({ ...whole, ...sent })).toEqual({ ...whole, ...parts });
  });

  it.each<[unknown, object]>([
    [0.5, { cost_usd: 0.5 }],
    [0, { cost_usd: 0 }],
    [1e300, { cost_usd: MOST }],
    [-1, {}],
    [NaN, {}],
    [Infinity, {}],
    ['0.5', {}],
    [null, {}],
  ])('has the cost %p as %p', (cost_usd, cost) => {
    expect(boundedUsage({ ...NONE, cost_usd })).toEqual({ ...NONE, ...cost });
  });
});
