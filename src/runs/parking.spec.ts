import { jest } from '@jest/globals';
import type { RunSlot } from '../queue/run-queue.js';
import { Parking, WaitingRuns } from './parking.js';

const AFTER_MS = 1_000;

const SLOT: RunSlot = { release: () => {}, take: () => {}, reclaim: () => true };

/** Parks when it is told whether that works out. */
class World {
  attempts = 0;
  readonly waiting: WaitingRuns;
  readonly parking: Parking;
  private settle: (parked: boolean) => void = () => {};

  constructor(limit = 10) {
    this.waiting = new WaitingRuns(limit);
    const { waiting } = this;
    const park = (): Promise<boolean> => {
      this.attempts++;
      return new Promise((resolve) => (this.settle = resolve));
    };
    const health = { leaveTrial: async () => {} };
    const signals = { park };
    this.parking = new Parking({ after_ms: AFTER_MS, slot: SLOT, waiting, signals, health });
  }

  /** Everything that follows from it has happened. */
  async answer(parked: boolean): Promise<void> {
    this.settle(parked);
    await pass(0);
  }
}

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

describe(Parking.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

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
});
