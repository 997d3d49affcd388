import { jest } from '@jest/globals';
import type { Config } from '../config/config.js';
import type { RunQueue } from '../queue/run-queue.js';
import { SystemClock } from '../kernel/clock.js';
import { quiet } from '../../test/support/quiet.js';
import { RunWorld } from '../../test/support/run-world.js';
import { Suspects } from './suspects.js';
import { Sweep } from './sweep.js';

describe(Sweep.name, () => {
  let enqueued: string[];
  let world: RunWorld;
  let sweep: Sweep;

  beforeEach(async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
    });
    enqueued = [];
    world = await RunWorld.open();
    const queue = { enqueue: (id: string) => enqueued.push(id) } as unknown as RunQueue;
    const config = { leaseTtlMs: 4_000 } as Config;
    sweep = new Sweep(world.store, queue, new Suspects(queue), config, new SystemClock());
  });

  afterEach(() => {
    sweep.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('finds at start what nobody runs (I3)', async () => {
    sweep.onApplicationBootstrap();
    await quiet(null);
    expect(enqueued).toEqual([world.interactionId]);
  });

  it('looks again and again, and leaves alone what somebody holds', async () => {
    const lease = { owner: 'other', ttl_ms: 60_000 };
    const taken = (await world.store.acquireLease(world.interactionId, lease))!;
    sweep.onApplicationBootstrap();
    await quiet(null);
    expect(enqueued).toEqual([]);
    await world.store.releaseLease(world.interactionId, taken.interaction.epoch);
    jest.advanceTimersByTime(2_000);
    await quiet(null);
    expect(enqueued).toEqual([world.interactionId]);
  });

  it('goes on when the store was away', async () => {
    const { store } = world;
    const list = store.listUnowned.bind(store);
    store.listUnowned = () => Promise.reject(new Error('connection refused'));
    sweep.onApplicationBootstrap();
    await quiet(null);
    store.listUnowned = list;
    jest.advanceTimersByTime(2_000);
    await quiet(null);
    expect(enqueued).toEqual([world.interactionId]);
  });
});
