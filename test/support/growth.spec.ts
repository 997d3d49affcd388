import { expectLinear } from './growth.js';

/** Steps of about a nanosecond. */
function spin(steps: number): number {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum * 31 + step) | 0;
  return sum;
}

describe(expectLinear.name, () => {
  it('takes work whose time grows with its size, or a little faster', async () => {
    await expectLinear((size) => () => spin(size), 4_000_000);
    await expectLinear((size) => () => spin(size * Math.log2(size)), 400_000);
  });

  it('refuses work whose time grows with the square of its size', async () => {
    await expect(expectLinear((size) => () => spin(size * size), 3_000)).rejects.toThrow(
      '8 times the size takes',
    );
  });

  it('refuses an expression that backtracks', async () => {
    const prepare = (size: number) => (): boolean => /x*x*y/.test('x'.repeat(size));
    await expect(expectLinear(prepare, 320)).rejects.toThrow('8 times the size takes');
  });
});
