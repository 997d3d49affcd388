import { retryDelay } from './retry-schedule.js';

describe(retryDelay.name, () => {
  it.each([
    [1, 2_500, 5_000],
    [2, 5_000, 10_000],
    [5, 40_000, 80_000],
    [11, 1_800_000, 3_600_000],
    [2_000, 1_800_000, 3_600_000],
  ])('is from %s failures on between %s and %s ms', (attempts, least, most) => {
    expect([retryDelay(attempts, 0), retryDelay(attempts, 1)]).toEqual([least, most]);
  });
});
