/** Maximum number of concurrent processes: more than any build needs, and few enough for a host. */
export const MAX_PROCESSES = 512;

/**
 * Adds kernel limits to a command: no core dumps, and a maximum number of processes of its user.
 * The latter does not limit root.
 */
export function withLimits(command: readonly string[], processes: number): string[] {
  const script = `ulimit -c 0; ulimit -u ${processes} 2>/dev/null; exec "$@"`;
  return ['bash', '--norc', '--noprofile', '-c', script, 'limits', ...command];
}
