import { findRedisFaults } from './redis-faults.js';

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
