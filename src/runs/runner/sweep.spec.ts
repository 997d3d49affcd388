import { jest } from '@jest/globals';
import type { Config } from '../../config/config.js';
import type { EnqueueOptions, RunQueue } from '../../queue/run-queue.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { quiet } from '../../../test/support/quiet.js';
import { RunWorld } from '../../../test/support/runs/run-world.js';
import { CrashQuarantine } from './crash-quarantine.js';
import { Sweep } from './sweep.js';

describe(Sweep.name, () => {
  let enqueued: string[];
  let clock: FakeClock;
  let last: EnqueueOptions | undefined;
  let world: RunWorld;
  let sweep: Sweep;

  beforeEach(async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
    });
    enqueued = [];
    clock = new FakeClock();
    world = await RunWorld.open();
    open({ role: 'all' });
  });

  function open({ role }: Pick<Config, 'role'>): void {
    const enqueue = (id: string, handing: EnqueueOptions): void => {
      enqueued.push(id);
      last = handing;
    };
    const queue = { enqueue } as unknown as RunQueue;
    const config = { leaseTtlMs: 4_000, crashLoopLimit: 5, role } as Config;
    sweep = new Sweep(
      world.store,
      world.store,
      queue,
      new CrashQuarantine(queue, config),
      config,
      clock,
    );
  }

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

  it('leaves it to others where nothing is run', async () => {
    const list = jest.spyOn(world.store, 'listUnowned');
    open({ role: 'api' });
    sweep.onApplicationBootstrap();
    await quiet(null);
    expect(list).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
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

  it('does not leave to the queue what it has had for long', async () => {
    sweep.onApplicationBootstrap();
    await quiet(null);
    expect(last).toEqual({});
    for (const [passed_ms, handing] of [
      [9_999, {}],
      [1, { affinity: 'local' }],
    ] as const) {
      clock.pass(passed_ms);
      jest.advanceTimersByTime(2_000);
      await quiet(null);
      expect(last).toEqual(handing);
    }
  });

  it('looks again when the pause of a suspect is over', async () => {
    const lost = { owner: 'lost', ttl_ms: 0, trial: 1 };
    for (let n = 0; n < 2; n++) await world.store.acquireLease(world.interactionId, lost);
    sweep.onApplicationBootstrap();
    await quiet(null);
    expect(enqueued).toEqual([]);
    clock.pass(1_000);
    jest.advanceTimersByTime(1_000);
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
