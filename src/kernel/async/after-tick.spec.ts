import { setImmediate as nextTick } from 'node:timers/promises';
import { afterTick } from './after-tick.js';
import { AsyncValue } from './async-value.js';

describe(afterTick.name, () => {
  it('runs all tasks of a tick, then what these queue, before another tick', async () => {
    const order: string[] = [];
    afterTick(() => {
      order.push('first');
      void Promise.resolve().then(() => afterTick(() => order.push('queued')));
    });
    afterTick(() => order.push('second'));
    expect(order).toEqual([]);
    await nextTick();
    order.push('next tick');
    expect(order).toEqual(['first', 'second', 'queued', 'next tick']);
  });

  it('runs tasks that the second round queues', async () => {
    const done = new Promise<void>((resolve) => {
      afterTick(() => afterTick(() => afterTick(() => afterTick(resolve))));
    });
    await done;
  });

  it('runs each task with the values of its caller, not of the first of the tick', async () => {
    const tenant = new AsyncValue<string>();
    const seen: (string | undefined)[] = [];
    const look = (): void => afterTick(() => seen.push(tenant.get()));
    tenant.run('a', look);
    tenant.run('b', look);
    look();
    await nextTick();
    expect(seen).toEqual(['a', 'b', undefined]);
  });
});
