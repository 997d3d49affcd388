import { SystemClock } from '../../src/kernel/clock.js';
import { LocalRunQueue } from '../../src/queue/local/local-run-queue.js';
import { FakeClock } from '../support/fake-clock.js';
import { Gate } from '../support/gate.js';
import { runQueueContract } from './run-queue.contract.js';

runQueueContract(LocalRunQueue.name, async (concurrency) => {
  const queue = new LocalRunQueue(concurrency, new SystemClock());
  return { queue, close: () => queue.stop() };
});

describe(LocalRunQueue.name, () => {
  it('runs at once what is enqueued while it says that it would', () => {
    const queue = new LocalRunQueue(1, new SystemClock());
    expect(queue.isImmediate).toBe(false);
    const started: string[] = [];
    queue.start((id) => new Promise(() => started.push(id)));
    expect(queue.isImmediate).toBe(true);
    queue.enqueue('int_1');
    expect(started).toEqual(['int_1']);
    expect(queue.isImmediate).toBe(false);
  });

  it('knows how long the oldest has waited, but for one that is running already', async () => {
    const clock = new FakeClock();
    const queue = new LocalRunQueue(1, clock);
    const gate = new Gate();
    queue.start(() => gate.pass());
    for (const id of ['int_1', 'int_1', 'int_2', 'int_3']) {
      queue.enqueue(id);
      clock.pass(1_000);
    }
    expect(await queue.longestWait()).toBe(2_000);
    gate.open();
    await queue.stop();
    expect(await queue.longestWait()).toBe(0);
  });

  it('hands out first what came first', async () => {
    const queue = new LocalRunQueue(1, new SystemClock());
    const started: string[] = [];
    const ids = ['int_1', 'int_2', 'int_3'];
    await new Promise<void>((resolve) => {
      queue.start(async (id) => {
        if (started.push(id) === ids.length) resolve();
      });
      for (const id of ids) queue.enqueue(id);
    });
    expect(started).toEqual(ids);
  });
});
