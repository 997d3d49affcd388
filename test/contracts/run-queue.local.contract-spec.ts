import { LocalRunQueue } from '../../src/queue/local/local-run-queue.js';
import { runQueueContract } from './run-queue.contract.js';

runQueueContract(LocalRunQueue.name, async (concurrency) => {
  const queue = new LocalRunQueue(concurrency);
  return { queue, close: () => queue.stop() };
});

describe(LocalRunQueue.name, () => {
  it('runs at once what is enqueued while it says that it would', () => {
    const queue = new LocalRunQueue(1);
    expect(queue.isImmediate).toBe(false);
    const started: string[] = [];
    queue.start((id) => new Promise(() => started.push(id)));
    expect(queue.isImmediate).toBe(true);
    queue.enqueue('int_1');
    expect(started).toEqual(['int_1']);
    expect(queue.isImmediate).toBe(false);
  });

  it('hands out first what came first', async () => {
    const queue = new LocalRunQueue(1);
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
