import { FairSemaphore } from './fair-semaphore.js';

const never = new AbortController().signal;

/** Work that lasts until it is told to end. */
class Work {
  isRunning = false;
  end: () => void = () => {};
  readonly done: Promise<void>;

  constructor(slots: FairSemaphore, branch: object, signal = never) {
    this.done = slots.run(branch, signal, async () => {
      this.isRunning = true;
      await new Promise<void>((resolve) => (this.end = resolve));
      this.isRunning = false;
    });
    this.done.catch(() => {});
  }

  async finish(): Promise<void> {
    this.end();
    await this.done;
  }
}

const running = (works: readonly Work[]): number[] =>
  works.flatMap(({ isRunning }, i) => (isRunning ? [i] : []));

describe('FairSemaphore', () => {
  it('gives no more slots than there are, in the order in which one branch asked', async () => {
    const slots = new FairSemaphore(2);
    const branch = {};
    const works = [1, 2, 3, 4].map(() => new Work(slots, branch));
    expect(running(works)).toEqual([0, 1]);
    await works[1]!.finish();
    expect(running(works)).toEqual([0, 2]);
    await works[0]!.finish();
    expect(running(works)).toEqual([2, 3]);
  });

  it('lets a branch that holds less go before one that asked earlier', async () => {
    const slots = new FairSemaphore(2);
    const [wide, narrow] = [{}, {}];
    const works = [wide, wide, wide, wide, narrow].map((branch) => new Work(slots, branch));
    await works[0]!.finish();
    expect(running(works)).toEqual([1, 4]);
    await works[4]!.finish();
    expect(running(works)).toEqual([1, 2]);
  });

  it('gives nothing to what was stopped while it waited', async () => {
    const slots = new FairSemaphore(1);
    const branch = {};
    const stop = new AbortController();
    const first = new Work(slots, branch);
    const stopped = new Work(slots, branch, stop.signal);
    const last = new Work(slots, branch);
    stop.abort(new Error('Stopped.'));
    await expect(stopped.done).rejects.toThrow('Stopped.');
    await first.finish();
    expect(running([first, stopped, last])).toEqual([2]);
    const late = new Work(slots, branch, stop.signal);
    await expect(late.done).rejects.toThrow('Stopped.');
  });

  it('takes a slot back from work that failed', async () => {
    const slots = new FairSemaphore(1);
    const failed = slots.run({}, never, () => Promise.reject(new Error('Oh.')));
    const next = new Work(slots, {});
    await expect(failed).rejects.toThrow('Oh.');
    expect(next.isRunning).toBe(true);
  });
});
