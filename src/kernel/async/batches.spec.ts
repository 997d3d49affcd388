import { setImmediate } from 'node:timers/promises';
import { batchesOf, mapInBatches } from './batches.js';

describe(batchesOf.name, () => {
  it('gives every item once, in order, and the rest as a smaller batch', () => {
    expect([...batchesOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('gives no empty batch', () => {
    expect([...batchesOf([1, 2], 2)]).toEqual([[1, 2]]);
    expect([...batchesOf([], 2)]).toEqual([]);
  });
});

describe(mapInBatches.name, () => {
  it('gives the results in order, and works on a bounded number at once', async () => {
    let running = 0;
    let most = 0;
    const results = await mapInBatches([1, 2, 3, 4, 5], 2, async (n) => {
      most = Math.max(most, ++running);
      for (let turn = n; turn <= 5; turn++) await setImmediate();
      running--;
      return n * 10;
    });
    expect(results).toEqual([10, 20, 30, 40, 50]);
    expect(most).toBe(2);
  });

  it('begins nothing after a batch in which one has failed', async () => {
    const begun: number[] = [];
    const work = mapInBatches([1, 2, 3], 2, async (n) => {
      begun.push(n);
      if (n === 1) throw new Error('failed');
    });
    await expect(work).rejects.toThrow('failed');
    expect(begun).toEqual([1, 2]);
  });
});
