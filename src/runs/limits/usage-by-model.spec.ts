import type { LogRecord } from '../../persistence/rows/log-record.js';
import { UsageByModel } from './usage-by-model.js';

const USED = { input_tokens: 10, output_tokens: 1 };
const PRICED = { ...USED, cost_usd: 0.1 };

describe(UsageByModel.name, () => {
  it('has nothing to say while one model does all, with a price or without', () => {
    for (const used of [USED, PRICED]) {
      const usage = new UsageByModel('a/b');
      usage.add('a/b', used);
      usage.add('a/b', used);
      usage.add('a/failed', { input_tokens: 0, output_tokens: 0 });
      expect(usage.rows).toBeUndefined();
    }
  });

  it('counts each model of a chain, and what had no price', () => {
    const usage = new UsageByModel('a/b, c/d');
    usage.add('c/d', PRICED);
    expect(usage.rows).toEqual([{ model: 'c/d', ...PRICED, unpriced_tokens: 0 }]);
    usage.add('a/b', USED);
    usage.add('c/d', USED);
    expect(usage.rows).toEqual([
      { model: 'c/d', input_tokens: 20, output_tokens: 2, cost_usd: 0.1, unpriced_tokens: 11 },
      { model: 'a/b', ...USED, unpriced_tokens: 11 },
    ]);
  });

  it('counts what got a price only later', () => {
    const usage = new UsageByModel('a/b');
    usage.add('a/b', USED);
    usage.add('a/b', PRICED);
    expect(usage.rows).toMatchObject([{ cost_usd: 0.1, unpriced_tokens: 11 }]);
  });

  it('goes on from the log', () => {
    const usage = new UsageByModel('a/b');
    const body = { type: 'TURN_COMPLETED', model: 'c/d', usage: USED };
    usage.apply({ body } as unknown as LogRecord);
    usage.add('c/d', USED);
    expect(usage.rows).toMatchObject([{ model: 'c/d', input_tokens: 20 }]);
  });

  it('names a bounded number of models, and none that a database refuses', () => {
    const usage = new UsageByModel('a/b');
    for (const name of ['a/\0', 'a/\ud800']) usage.add(name, USED);
    expect(usage.rows).toMatchObject([{ model: 'other' }, { model: 'a/\ufffd' }]);
    for (let n = 0; n < 1000; n++) usage.add(`a/${n}`.padEnd(1000, 'x'), USED);
    expect(usage.rows).toHaveLength(20);
    const sum = usage.rows!.reduce((total, { input_tokens }) => total + input_tokens, 0);
    expect(sum).toBe(10_020);
    expect(usage.rows!.every(({ model }) => model.length <= 200)).toBe(true);
  });
});
