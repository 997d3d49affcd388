import { jest } from '@jest/globals';
import { SystemClock } from './clock.js';

const HOUR = 3_600_000;

describe(SystemClock.name, () => {
  /** The clock of the host and its monotonic one, which only move when a test moves them. */
  let host: number;
  let monotonic: number;

  beforeEach(() => {
    host = Date.UTC(2026, 0, 1);
    monotonic = 5_000;
    jest.spyOn(Date, 'now').mockImplementation(() => host);
    jest.spyOn(performance, 'now').mockImplementation(() => monotonic);
  });
  afterEach(() => jest.restoreAllMocks());

  const pass = (milliseconds: number): void => {
    host += milliseconds;
    monotonic += milliseconds;
  };
  const ahead = (clock: SystemClock): number => clock.now().getTime() - host;

  it('tells the time of the host, until it follows another clock', () => {
    const clock = new SystemClock();
    expect(ahead(clock)).toBe(0);
    clock.follow(new Date(host - HOUR), 5);
    pass(1000);
    expect(ahead(clock)).toBe(-HOUR);
  });

  it('goes on when the clock of the host jumps', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host), 5);
    host += HOUR;
    expect(ahead(clock)).toBe(-HOUR);
  });

  it('knows that the machine was suspended, also when it follows another clock', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host), 5);
    const before = clock.boottime();
    host += HOUR;
    expect(clock.boottime() - before).toBe(HOUR);
    host -= HOUR;
    expect(clock.boottime() - before).toBe(HOUR);
    pass(1000);
    expect(clock.boottime() - before).toBe(HOUR + 1000);
  });

  it('does not count adjustments of the wall clock as suspensions', () => {
    const clock = new SystemClock();
    const before = clock.boottime();
    host += 100;
    expect(clock.boottime() - before).toBe(0);
  });

  it('ignores a difference that may be an error of the measurement', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host), 0);
    clock.follow(new Date(host - 2 * HOUR), 3 * HOUR);
    expect(ahead(clock)).toBe(0);
    clock.follow(new Date(host - 2 * HOUR), HOUR);
    expect(ahead(clock)).toBe(-2 * HOUR);
  });

  it('becomes more exact with the measurements, as the first is of a process that starts', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host - HOUR), 3 * HOUR);
    clock.follow(new Date(host), 2 * HOUR);
    expect(ahead(clock)).toBe(0);
    clock.follow(new Date(host - HOUR), 2 * HOUR);
    expect(ahead(clock)).toBe(0);
  });
});
