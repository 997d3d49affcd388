import { Prices } from '../../config/prices/prices.js';
import { Pricing } from './pricing.js';

const USED = { input_tokens: 1_000_000, output_tokens: 0 };

function setUp() {
  const lines: string[] = [];
  const prices = new Prices([{ 'openai/priced': { input: 2, output: 1 } }]);
  return { lines, pricing: new Pricing(prices, { warn: (line: string) => lines.push(line) }) };
}

describe(Pricing.name, () => {
  it('names a model without a price once, and none that has one or that is free', () => {
    const { lines, pricing } = setUp();
    expect(pricing.priced('openai/priced-2026-01-15', USED)).toEqual({ ...USED, cost_usd: 2 });
    for (const model of ['openai/new', 'openai/new', 'demo/script'])
      expect(pricing.priced(model, USED)).toEqual(USED);
    expect(lines).toEqual([expect.stringMatching(/^The price of openai\/new is not known: /)]);
  });

  it('names a bounded number of them', () => {
    const { lines, pricing } = setUp();
    for (let n = 0; n < 1000; n++) pricing.priced(`openai/${n}`.padEnd(9000, 'x'), USED);
    expect(lines).toHaveLength(100);
    expect(lines.every((line) => line.length < 500)).toBe(true);
  });
});
