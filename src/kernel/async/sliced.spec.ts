import { setImmediate } from 'node:timers/promises';
import { atOnce, inSlices } from './sliced.js';
import type { Sliced } from './sliced.js';

function* count(to: number): Sliced<number> {
  for (let n = 0; n < to; n++) yield;
  return to;
}

/** Each slice takes longer than work may hold the event loop. */
function* slow(): Sliced<string> {
  for (let n = 0; n < 3; n++) {
    const end = performance.now() + 12;
    while (performance.now() < end);
    yield;
  }
  return 'done';
}

describe('Sliced work', () => {
  it('has one result, at once or in slices', async () => {
    expect(atOnce(count(3))).toBe(3);
    expect(await inSlices(count(3))).toBe(3);
  });

  it('lets other work go on between slices', async () => {
    const order: string[] = [];
    const work = inSlices(slow()).then((result) => order.push(result));
    const other = setImmediate().then(() => order.push('other'));
    await Promise.all([work, other]);
    expect(order).toEqual(['other', 'done']);
  });

  it('fails as its work does', async () => {
    const failing = function* (): Sliced<void> {
      yield;
      throw new Error('no');
    };
    expect(() => atOnce(failing())).toThrow('no');
    await expect(inSlices(failing())).rejects.toThrow('no');
  });
});
