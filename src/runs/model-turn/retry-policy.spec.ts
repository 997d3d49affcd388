import { ModelError } from '../../models/model-error.js';
import { retryDelay } from './retry-policy.js';

const error = (retryable: boolean, retry_after_ms?: number): ModelError =>
  new ModelError('model_overloaded', 'busy', {
    retryable,
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  });
const least = (): number => 0;
const most = (): number => 1;

describe(retryDelay.name, () => {
  it.each([
    [1, 500, 250],
    [2, 1_000, 500],
    [3, 2_000, 1_000],
  ])('waits after attempt %i up to %i ms, at least %i', (attempt, longest, shortest) => {
    expect(retryDelay(error(true), attempt, least)).toBe(longest);
    expect(retryDelay(error(true), attempt, most)).toBe(shortest);
  });

  it('gives up after the fourth attempt', () => {
    expect(retryDelay(error(true), 4)).toBeUndefined();
  });

  it('gives up at once when trying again makes no sense', () => {
    expect(retryDelay(error(false), 1)).toBeUndefined();
  });

  it('waits as long as the vendor asks, and never less than the backoff', () => {
    expect(retryDelay(error(true, 3_000), 1)).toBe(3_000);
    expect(retryDelay(error(true, 45_000), 1)).toBe(45_000);
    expect(retryDelay(error(true, 62_500), 3)).toBe(62_500);
    expect(retryDelay(error(true, 0), 1, least)).toBe(500);
  });

  it('gives up at once on a vendor that asks for a wait of minutes', () => {
    expect(retryDelay(error(true, 3_600_000), 1)).toBeUndefined();
  });
});
