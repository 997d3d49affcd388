import { jest } from '@jest/globals';
import { RunSlots } from '../queue/local/run-slots.js';
import { Parking, WaitingRuns } from './parking.js';

const AFTER_MS = 1_000;

/** Parks when it is told whether that works out. */
class World {
  attempts = 0;
  readonly slots = new RunSlots(1, () => {});
  readonly parking: Parking;
  private settle: (parked: boolean) => void = () => {};

  constructor(readonly waiting = new WaitingRuns(10)) {
    const slot = this.slots.lend();
    const park = (): Promise<boolean> => {
      this.attempts++;
      return new Promise((resolve) => (this.settle = resolve));
    };
    const health = { leaveTrial: async () => {} };
    const signals = { park };
    this.parking = new Parking({ after_ms: () => AFTER_MS, slot, waiting, signals, health });
  }

  /** Everything that follows from it has happened. */
  async answer(parked: boolean): Promise<void> {
    this.settle(parked);
    await pass(0);
  }
}

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe(Parking.name, () => {
  it('tries after a while, and again after that', async () => {
    const world = new World();
    world.parking.activityChanged('parkable');
    await pass(AFTER_MS - 1);
    expect(world.attempts).toBe(0);
    await pass(1);
    expect(world.attempts).toBe(1);
    await world.answer(false);
    await pass(AFTER_MS);
    expect(world.attempts).toBe(2);
  });

  it('leaves alone what works again, also when that was between two tries (I3)', async () => {
    const world = new World();
    world.parking.activityChanged('parkable');
    await pass(AFTER_MS);
    world.parking.activityChanged('working');
    world.parking.activityChanged('parkable');
    await world.answer(false); // of the first
    world.parking.activityChanged('working');
    await pass(10 * AFTER_MS);
    expect(world.attempts).toBe(1);
  });

  it('tries once at a time', async () => {
    const world = new World();
    world.parking.activityChanged('parkable');
    await pass(AFTER_MS);
    world.parking.parkNow();
    world.parking.activityChanged('working');
    world.parking.activityChanged('parkable');
    await pass(AFTER_MS);
    expect(world.attempts).toBe(1);
    await world.answer(false);
    await pass(AFTER_MS);
    expect(world.attempts).toBe(2);
  });

  it('does not try for what can only wait in memory, or has stopped', async () => {
    const world = new World();
    world.parking.activityChanged('waiting');
    await pass(AFTER_MS);
    world.parking.activityChanged('parkable');
    world.parking.stop();
    await pass(AFTER_MS);
    expect(world.attempts).toBe(0);
  });

  it('leaves alone what has stopped, also while it tried', async () => {
    const world = new World();
    const { parking, waiting } = world;
    parking.activityChanged('parkable');
    await pass(AFTER_MS);
    parking.stop();
    await world.answer(false);
    parking.activityChanged('working');
    parking.activityChanged('parkable');
    await pass(10 * AFTER_MS);
    expect(world.attempts).toBe(1);
    expect(waiting.count).toBe(0);
  });

  it.each(['parkable', 'waiting'] as const)(
    'has others work while it is %s, and counts again when it goes on (I11)',
    async (activity) => {
      const { parking, slots } = new World();
      expect(slots.isFull).toBe(true);
      parking.activityChanged(activity);
      expect(slots.isFull).toBe(false);
      parking.activityChanged('working');
      expect(slots.isFull).toBe(true);
    },
  );
});

describe(WaitingRuns.name, () => {
  it('parks at once what has waited longest of those that it may, beyond a number of runs', async () => {
    const waiting = new WaitingRuns(2);
    const worlds = Array.from({ length: 5 }, () => new World(waiting));
    const [pinned, gone, longest, next, last] = worlds;
    const attempts = () => worlds.map((world) => world.attempts);
    pinned!.parking.activityChanged('waiting');
    gone!.parking.activityChanged('parkable');
    gone!.parking.activityChanged('working');
    longest!.parking.activityChanged('parkable');
    expect(attempts()).toEqual([0, 0, 0, 0, 0]);
    next!.parking.activityChanged('parkable');
    expect(attempts()).toEqual([0, 0, 1, 0, 0]);
    last!.parking.activityChanged('parkable');
    expect(attempts()).toEqual([0, 0, 1, 1, 0]);
    expect(waiting.count).toBe(2);
    for (const { parking } of worlds) parking.stop();
    expect(waiting.count).toBe(0);
  });
});
