import { jest } from '@jest/globals';
import { CallWatch } from './call-watch.js';

const MINUTE_MS = 60_000;

describe(CallWatch.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  let watch: CallWatch;
  let given: AbortController;
  let signal: AbortSignal;
  beforeEach(() => {
    watch = new CallWatch();
    given = new AbortController();
  });

  const begin = (result: Promise<string>): Promise<string> =>
    watch.watch(given.signal, (own) => ((signal = own), result));
  const untilAborted = (): Promise<string> =>
    watch.watch(given.signal, (own) => {
      signal = own;
      return new Promise((_, reject) => own.addEventListener('abort', () => reject(own.reason)));
    });

  it('does not abort when the response ends after its result', async () => {
    watch.began();
    await begin(Promise.resolve('done'));
    watch.ended();
    jest.advanceTimersByTime(MINUTE_MS);
    expect(signal.aborted).toBe(false);
    expect(watch.failure).toBeUndefined();
  });

  it.each([
    ['resolved', () => Promise.resolve('done')],
    ['failed', () => Promise.reject(new Error('refused'))],
  ])('does not follow a signal after the request has %s', async (_, result) => {
    await begin(result()).catch(() => {});
    given.abort();
    watch.failed(new Error('too late'));
    expect(signal.aborted).toBe(false);
    expect(watch.failure).toBeUndefined();
    expect(watch.over.aborted).toBe(true);
  });

  it('follows a signal before', async () => {
    const result = untilAborted();
    given.abort(new Error('cancelled'));
    await expect(result).rejects.toThrow('cancelled');
    expect(watch.failure).toBeUndefined();
  });

  it('fails a request whose response has ended without a result for 10 s', async () => {
    const result = untilAborted();
    result.catch(() => {});
    watch.began();
    watch.ended();
    jest.advanceTimersByTime(9_999);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    await expect(result).rejects.toThrow('its answer ended without a result');
    expect(watch.failure).toMatchObject({ message: 'its answer ended without a result' });
  });

  it('waits as long as one of its responses is open', () => {
    void untilAborted();
    watch.began();
    watch.ended();
    watch.began();
    jest.advanceTimersByTime(MINUTE_MS);
    expect(signal.aborted).toBe(false);
  });

  it('is seen by what follows from the request, and by nothing outside', async () => {
    await watch.watch(given.signal, async () => {
      expect(CallWatch.current).toBe(watch);
      CallWatch.outside(() => expect(CallWatch.current).toBeUndefined());
    });
    expect(CallWatch.current).toBeUndefined();
  });
});
