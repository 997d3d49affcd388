import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { FakeClock } from '../../test/support/fake-clock.js';
import { MemoryLogStore } from '../../test/support/store/memory-log-store.js';
import { AppError } from '../kernel/app-error.js';
import { portsOf } from '../../test/support/store/whole-store.js';
import { Spill } from './spill/spill.js';
import { StoreHealth } from './store-health.js';

const AWAY = new AppError('unavailable', 'store_unavailable', 'It is away.');

describe(StoreHealth.name, () => {
  let clock: FakeClock;
  let spill: Spill;
  let ping: () => Promise<void>;
  let watch: StoreHealth;
  let saved: string[];
  let logged: unknown[];

  beforeEach(() => {
    clock = new FakeClock();
    ping = () => Promise.resolve();
    const store = Object.assign(new MemoryLogStore().port, {
      ping: () => ping(),
    });
    spill = new Spill(portsOf(store));
    saved = [];
    logged = [];
    const options = {
      name: 'database',
      timeout_ms: 20,
    };
    const queue = { enqueue: (id: string) => void saved.push(id) };
    watch = new StoreHealth({ records: store, spill, queue, clock }, options);
    for (const level of ['log', 'warn'] as const)
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((word: unknown) => void logged.push(word));
  });
  afterEach(() => jest.restoreAllMocks());

  it('says since when the store does not answer, tells it once, and tells that it is back', async () => {
    await watch.check();
    expect(watch.unreachableSince).toBeUndefined();
    const since = clock.now();
    ping = () => Promise.reject(AWAY);
    await watch.check();
    clock.pass(2000);
    await watch.check();
    expect([watch.unreachableSince, watch.awaySince]).toEqual([since, since]);
    ping = () => Promise.resolve();
    await watch.check();
    expect([watch.unreachableSince, watch.awaySince]).toEqual([undefined, undefined]);
    expect(logged).toEqual([
      expect.objectContaining({ err: AWAY }),
      'The database is back after 2.0 s.',
    ]);
  });

  it('does not wait for an answer that never comes', async () => {
    ping = () => new Promise(() => {});
    await watch.check();
    expect(watch.unreachableSince).toEqual(clock.now());
  });

  it('takes a store for away whose writes fail for a while, until one is written', () => {
    const since = clock.now();
    watch.noteNotWritten(AWAY);
    expect(watch.awaySince).toBeUndefined();
    clock.pass(1500);
    watch.noteNotWritten(AWAY);
    expect(watch.awaySince).toEqual(since);
    expect(watch.unreachableSince).toBeUndefined();
    watch.noteWritten();
    expect(watch.awaySince).toBeUndefined();
  });

  it('forgets that writes failed when nobody has tried again for long', () => {
    watch.noteNotWritten(AWAY);
    clock.pass(2000);
    watch.noteNotWritten(AWAY);
    clock.pass(8000);
    expect(watch.awaySince).toBeUndefined();
    watch.noteNotWritten(AWAY);
    expect(watch.awaySince).toBeUndefined();
  });

  it('does not blame the store for what it refuses', () => {
    const refused = new AppError('internal', 'store_failed', 'It says no.');
    watch.noteNotWritten(refused);
    clock.pass(1500);
    watch.noteNotWritten(refused);
    expect(watch.awaySince).toBeUndefined();
  });

  it('lets what is unsaved be saved as soon as the store answers', async () => {
    const flushed: string[] = [];
    jest.spyOn(spill, 'ids').mockReturnValue(['int_a', 'int_b']);
    jest.spyOn(spill, 'flush').mockImplementation(async (id) => (flushed.push(id), 'saved'));
    ping = () => Promise.reject(AWAY);
    await watch.check();
    expect(flushed).toEqual([]);
    ping = () => Promise.resolve();
    await watch.check();
    expect(flushed).toEqual(['int_a', 'int_b']);
    expect(saved).toEqual(flushed);
  });

  it('has the spilled records tidied up once the store answers, and every hour', async () => {
    const tidy = jest.spyOn(spill, 'tidy').mockResolvedValue();
    ping = () => Promise.reject(AWAY);
    await watch.check();
    expect(tidy).not.toHaveBeenCalled();
    ping = () => Promise.resolve();
    for (const pause_ms of [0, 1000, 3_598_000]) {
      clock.pass(pause_ms);
      await watch.check();
    }
    expect(tidy).toHaveBeenCalledTimes(1);
    tidy.mockRejectedValueOnce(AWAY);
    for (const pause_ms of [1000, 3_600_000]) {
      clock.pass(pause_ms);
      await watch.check();
    }
    expect(tidy).toHaveBeenCalledTimes(3);
  });

  it('tries again later when what is unsaved can not be saved yet', async () => {
    jest.spyOn(spill, 'ids').mockReturnValue(['int_a', 'int_b']);
    const flush = jest.spyOn(spill, 'flush').mockRejectedValue(AWAY);
    await watch.check();
    expect(flush).toHaveBeenCalledTimes(1);
    clock.pass(1500);
    await watch.check();
    expect(watch.awaySince).toBeDefined();
    expect(saved).toEqual([]);
  });
});
