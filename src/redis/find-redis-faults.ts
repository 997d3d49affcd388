/** The oldest that BullMQ is made for. */
const OLDEST = [6, 2] as const;

/** What is not as it should be of a Redis that works all the same, by its answer to INFO. One sentence each. */
export function findRedisFaults(info: string): string[] {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = field('maxmemory_policy') ?? 'noeviction';
  const version = field('redis_version') ?? OLDEST.join('.');
  return [
    ...(policy === 'noeviction'
      ? []
      : [`Redis may drop what is in use: its maxmemory-policy is ${policy}. Make it noeviction.`]),
    ...(isOlder(version)
      ? [`Redis ${version} is older than ${OLDEST.join('.')}, and may not know all commands.`]
      : []),
  ];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
