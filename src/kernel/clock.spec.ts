import { jest } from '@jest/globals';
import { SystemClock } from './clock.js';

const HOUR = 3_600_000;

describe(SystemClock.name, () => {
  const host = Date.now.bind(Date);
  const differs = (clock: SystemClock): number => Math.abs(clock.now().getTime() - host());
  afterEach(() => jest.restoreAllMocks());

  it('tells the time of the host, until it follows another clock', () => {
    const clock = new SystemClock();
    expect(differs(clock)).toBeLessThan(1000);
    clock.follow(new Date(host() - HOUR), 5);
    expect(Math.abs(differs(clock) - HOUR)).toBeLessThan(1000);
  });

  it('goes on when the clock of the host jumps', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host()), 5);
    jest.spyOn(Date, 'now').mockImplementation(() => host() + HOUR);
    expect(differs(clock)).toBeLessThan(1000);
  });

  it('knows that the machine was suspended, also when it follows another clock', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host()), 5);
    const before = clock.boottime();
    const date = jest.spyOn(Date, 'now').mockImplementation(() => host() + HOUR);
    expect(clock.boottime() - before).toBeGreaterThanOrEqual(HOUR - 1000);
    date.mockImplementation(() => host());
    expect(clock.boottime() - before).toBeGreaterThanOrEqual(HOUR - 1000);
    expect(clock.boottime() - before).toBeLessThan(HOUR + 1000);
  });

  it('does not count adjustments of the wall clock as suspensions', () => {
    const clock = new SystemClock();
    const before = clock.boottime() - clock.monotonic();
    jest.spyOn(Date, 'now').mockImplementation(() => host() + 100);
    expect(clock.boottime() - clock.monotonic() - before).toBeLessThan(50);
  });

  it('ignores a difference that may be an error of the measurement', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host()), 0);
    clock.follow(new Date(host() - 2 * HOUR), 3 * HOUR);
    expect(differs(clock)).toBeLessThan(1000);
    clock.follow(new Date(host() - 2 * HOUR), HOUR);
    expect(Math.abs(differs(clock) - 2 * HOUR)).toBeLessThan(1000);
  });

  it('becomes more exact with the measurements, as the first is of a process that starts', () => {
    const clock = new SystemClock();
    clock.follow(new Date(host() - HOUR), 3 * HOUR);
    clock.follow(new Date(host()), 2 * HOUR);
    expect(differs(clock)).toBeLessThan(1000);
    clock.follow(new Date(host() - HOUR), 2 * HOUR);
    expect(differs(clock)).toBeLessThan(1000);
  });
});
