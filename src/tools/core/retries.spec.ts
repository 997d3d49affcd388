import { jest } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import type { ErrorKind } from '../../kernel/app-error.js';
import { checkRetries, withRetries } from './retries.js';
import type { Tool, ToolPolicy, ToolRetries } from './tool.js';

const NEVER = new AbortController().signal;

/** Fails so often, then answers; notes what was thrown and how long it waited each time. */
function failing(times: number, error: unknown = new Error('Oops')) {
  const attempts: number[] = [];
  const told: [unknown, number][] = [];
  const work = (): string => {
    attempts.push(Date.now());
    if (attempts.length <= times) throw error;
    return 'done';
  };
  const run = (retries: ToolRetries | undefined, signal = NEVER) =>
    withRetries(work, {
      retries,
      signal,
      onRetry: async (thrown, attempt) => void told.push([thrown, attempt]),
    });
  const waits = () => attempts.slice(1).map((at, n) => at - attempts[n]!);
  return { run, attempts, told, waits };
}

describe(withRetries.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('tries again, after waits that double up to half a minute, and tells of each', async () => {
    const { run, told, waits } = failing(5);
    const running = run({ times: 5, backoff_ms: 7_000 });
    await jest.advanceTimersByTimeAsync(200_000);
    expect(await running).toBe('done');
    expect(waits()).toEqual([7_000, 14_000, 28_000, 30_000, 30_000]);
    expect(told.map(([, attempt]) => attempt)).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives up with the last failure', async () => {
    const { run, attempts } = failing(9);
    const running = run({ times: 2, backoff_ms: 1 }).catch((error: Error) => error.message);
    await jest.advanceTimersByTimeAsync(10);
    expect(await running).toBe('Oops');
    expect(attempts).toHaveLength(3);
  });

  it('tries once where nothing says more', async () => {
    const { run, attempts, told } = failing(1);
    await expect(run(undefined)).rejects.toThrow('Oops');
    expect([attempts.length, told]).toEqual([1, []]);
  });

  const fault = () => z.string().safeParse(1).error!;
  it.each<[string, unknown, number]>([
    ['an input that does not fit', fault(), 1],
    ['an error that says no', Object.assign(new Error('No'), { retryable: false }), 1],
    ['an error that says yes', Object.assign(fault(), { retryable: true }), 2],
    ['what is no error at all', undefined, 2],
    ...(['invalid', 'forbidden', 'not_found', 'conflict', 'unprocessable'] as const).map(of(1)),
    ...(['unavailable', 'rate_limited', 'internal'] as const).map(of(2)),
  ])('knows what may pass: %s', async (_, error, times) => {
    const { run, attempts } = failing(1, error);
    const running = run({ times: 1, backoff_ms: 0 }).catch(() => {});
    await jest.advanceTimersByTimeAsync(1);
    await running;
    expect(attempts).toHaveLength(times);
  });

  it('stops at once when it is told to, also while it waits', async () => {
    const stopper = new AbortController();
    const { run, attempts } = failing(9);
    const running = run({ times: 5, backoff_ms: 1_000 }, stopper.signal).catch(
      (error: Error) => error.name,
    );
    await jest.advanceTimersByTimeAsync(500);
    stopper.abort();
    expect(await running).toBe('AbortError');
    expect(attempts).toHaveLength(1);
    await expect(run({ times: 5, backoff_ms: 0 }, stopper.signal)).rejects.toThrow('Oops');
  });
});

describe(checkRetries.name, () => {
  const check =
    (retries: ToolRetries, recovery: ToolPolicy['recovery'] = 'rerun') =>
    () =>
      checkRetries({ name: 'x', policy: { recovery, retries } } as Tool);

  it('lets no tool be run again that must not be', () => {
    for (const recovery of ['report', 'replay'] as const)
      expect(check({ times: 1, backoff_ms: 0 }, recovery)).toThrow(/recovery has to be "rerun"/);
    expect(check({ times: 5, backoff_ms: 30_000 })).not.toThrow();
  });

  it.each([
    { times: 0, backoff_ms: 0 },
    { times: 6, backoff_ms: 0 },
    { times: 1.5, backoff_ms: 0 },
    { times: 1, backoff_ms: -1 },
    { times: 1, backoff_ms: 30_001 },
  ])('keeps them within bounds: %j', (retries) => {
    expect(check(retries)).toThrow(/1 to 5 times/);
  });
});

function of(attempts: number) {
  return (kind: ErrorKind): [string, unknown, number] => [
    `an error of the kind ${kind}`,
    new AppError(kind, 'code', 'Said so.'),
    attempts,
  ];
}
