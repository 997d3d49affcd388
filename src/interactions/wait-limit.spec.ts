import { waitLimitOf } from './wait-limit.js';

describe(waitLimitOf.name, () => {
  it.each([
    [undefined, undefined, undefined],
    [undefined, 'respond-async', undefined],
    [undefined, 'await', undefined],
    [undefined, 'wait=soon', undefined],
    ['false', 'wait', undefined],
    ['true', undefined, 60_000],
    [undefined, 'wait', 60_000],
    [undefined, 'Wait', 60_000],
    [undefined, 'respond-async, wait=10', 10_000],
    [undefined, 'wait="10", return=minimal', 10_000],
    [undefined, 'wait=10; foo', 10_000],
    ['true', 'wait=10', 10_000],
    [undefined, 'wait=0', 0],
    [undefined, 'wait=3600', 60_000],
  ])('of ?wait=%s with Prefer: %s is %s ms', (wait, prefer, limit) =>
    expect(waitLimitOf(wait, prefer)).toBe(limit),
  );
});
