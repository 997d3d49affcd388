import { jest } from '@jest/globals';
import { failoverCode, findRedisFaults, isReplica, parseInfo, Refusals } from './redis-faults.js';

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

  it.each([
    ['redis_mode:cluster\r\ncluster_enabled:1', [/cluster mode, which is not supported/]],
    ['redis_mode:standalone\r\ncluster_enabled:0', []],
    ['redis_mode:sentinel', [/names a Sentinel/]],
    ['cluster_enabled:1\r\nmaxmemory_policy:allkeys-lru', [/cluster mode/, /allkeys-lru/]],
  ])('reports the mode of %j', (info, faults) => {
    const expected = faults.map((fault) => expect.stringMatching(fault));
    expect(findRedisFaults(`# Server\r\n${info}\r\n`)).toEqual(expected);
  });

  it('reports nothing without INFO', () => {
    expect(findRedisFaults('')).toEqual([]);
  });
});

describe(isReplica.name, () => {
  it.each([
    ['role:master\r\nconnected_slaves:1', false],
    ['role:slave\r\nmaster_host:10.0.0.1\r\nslave_read_only:1', true],
    ['role:slave\r\nmaster_host:fe80::1\r\nslave_read_only:0', false], // takes writes
    ['role:replica\r\nmaster_host:10.0.0.1', true], // of Dragonfly
    ['role:active-replica\r\nslave_read_only:1', false], // of KeyDB: takes writes
    ['', false],
  ])('reads %j', (info, expected) => {
    expect(isReplica(parseInfo(`# Replication\r\n${info}\r\n`))).toBe(expected);
  });
});

describe(failoverCode.name, () => {
  it.each([
    ["READONLY You can't write against a read only replica.", 'READONLY'],
    [
      "ERR Error running script (call to f_6314): @user_script:4: @user_script: 4: -READONLY You can't write against a read only replica.",
      'READONLY',
    ],
    [
      'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
      'UNBLOCKED',
    ],
    ['LOADING Redis is loading the dataset in memory', 'LOADING'],
    [
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      'MASTERDOWN',
    ],
    ['NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS'],
    ["NOPERM this user has no permissions to run the 'info' command", undefined],
    ["OOM command not allowed when used memory > 'maxmemory'.", undefined],
    ['NOSCRIPT No matching script. Please use EVAL.', undefined],
    ['ERR unknown command READONLY x', undefined],
  ])('finds in %j %s', (reply, code) => {
    expect(failoverCode(reply)).toBe(code);
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
