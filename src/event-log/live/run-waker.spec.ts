import { SystemClock } from '../../kernel/clock.js';
import { LocalRunQueue } from '../../queue/local/local-run-queue.js';
import { LocalLiveBus } from './local/local-live-bus.js';
import { RunWaker } from './run-waker.js';

describe(RunWaker.name, () => {
  it('wakes a run in memory, and has a parked one resumed', () => {
    const woken: string[] = [];
    const bus = new LocalLiveBus();
    bus.onWake((id) => woken.push(id));
    const queue = new LocalRunQueue(0, new SystemClock());
    new RunWaker(bus, queue).wake('int_1');
    expect([woken, queue.queued]).toEqual([['int_1'], 1]);
  });
});
