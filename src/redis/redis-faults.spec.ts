import { jest } from '@jest/globals';
import { findRedisFaults, Refusals } from './redis-faults.js';

describe(findRedisFaults.name, () => {
  it.each([
    ['7.0.15', 'noeviction', []],
    ['6.2.0', 'noeviction', []],
    ['10.0.1', 'volatile-ttl', [expect.stringContaining('maxmemory-policy is volatile-ttl')]],
    ['6.0.16', 'noeviction', [expect.stringContaining('Redis 6.0.16 is older than 6.2')]],
    ['5.0.7', 'allkeys-lru', [expect.stringContaining('allkeys-lru'), expect.anything()]],
  ])('reports the settings of Redis %s with %s', (version, policy, faults) => {
    const info = `# Server\r\nredis_version:${version}\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;
    expect(findRedisFaults(info)).toEqual(faults);
  });

  it('reports nothing without INFO', () => {
    expect(findRedisFaults('')).toEqual([]);
  });
});

describe(Refusals.name, () => {
  const refusal = Object.assign(new Error('NOPERM no permission'), { name: 'ReplyError' });
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('lasts for a minute after the last one', () => {
    const report = jest.fn();
    const refusals = new Refusals(report);
    refusals.note(new Error('the connection is lost'));
    expect(refusals.since).toBeUndefined();
    refusals.note(refusal);
    const first = new Date();
    jest.advanceTimersByTime(50_000);
    refusals.note(refusal);
    jest.advanceTimersByTime(50_000);
    expect(refusals.since).toEqual(first);
    jest.advanceTimersByTime(11_000);
    expect(refusals.since).toBeUndefined();
    expect(report).toHaveBeenCalledTimes(1);
  });
});
