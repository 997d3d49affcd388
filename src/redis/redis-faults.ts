/** The oldest version that BullMQ supports. */
const OLDEST = [6, 2] as const;

const CLUSTER =
  'Redis runs in cluster mode, which is not supported: it rejects commands with CROSSSLOT or MOVED. Use a single primary.';
const SENTINEL =
  'REDIS_URL names a Sentinel, which holds no data. Name the primary, or a proxy that leads to it.';

/** The fields of an answer to INFO. */
export type RedisInfo = Readonly<Record<string, string>>;

export function parseInfo(text: string): RedisInfo {
  return Object.fromEntries(
    text.split('\r\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1)]),
  );
}

/** It takes no writes. */
export function isReplica({ role = '', slave_read_only }: RedisInfo): boolean {
  return ['slave', 'replica'].includes(role) && slave_read_only !== '0';
}

/** Before Redis 7, the error replies of scripts have it within a longer message. */
const FAILOVER = /(?:^|-)(READONLY|UNBLOCKED|LOADING|MASTERDOWN|NOREPLICAS) /;

/** The code of an error reply, if it shows that the server is not the primary, or cut off. */
export function failoverCode(reply: string): string | undefined {
  return FAILOVER.exec(reply)?.[1];
}

/** Unsuitable kinds and settings of a Redis, by its answer to INFO: one sentence each. */
export function findRedisFaults(info: string): string[] {
  const fields = parseInfo(info);
  const { maxmemory_policy: policy = 'noeviction', redis_version: version = OLDEST.join('.') } =
    fields;
  const faults: readonly [boolean, string][] = [
    [fields['cluster_enabled'] === '1', CLUSTER],
    [fields['redis_mode'] === 'sentinel', SENTINEL],
    [
      policy !== 'noeviction',
      `Redis may evict data in use: its maxmemory-policy is ${policy}. Set it to noeviction.`,
    ],
    [
      isOlder(version),
      `Redis ${version} is older than ${OLDEST.join('.')} and may not support all commands.`,
    ],
  ];
  return faults.flatMap(([isSo, fault]) => (isSo ? [fault] : []));
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Time after the last refused command until Redis counts as healthy again, in milliseconds. */
const RECOVERY_MS = 60_000;

/**
 * Commands that Redis refuses, for example for want of a permission or memory: each kind is
 * reported once.
 */
export class Refusals {
  /** The first words of the error replies. */
  private readonly reported = new Set<string>();
  private first: Date | undefined;
  private last = 0;

  constructor(private readonly report: (message: string) => void) {}

  /** Time of the first refusal; undefined after a minute without one. */
  get since(): Date | undefined {
    if (performance.now() - this.last > RECOVERY_MS) this.first = undefined;
    return this.first;
  }

  note(error: Error): void {
    if (error.name !== 'ReplyError') return; // the class would load the client
    this.first = this.since ?? new Date();
    this.last = performance.now();
    const [kind = ''] = error.message.split(' ', 1);
    if (this.reported.has(kind)) return;
    this.reported.add(kind);
    this.report(error.message);
  }

  /** After a reconnection: it may be another server. */
  clear(): void {
    this.reported.clear();
    this.first = undefined;
  }
}
