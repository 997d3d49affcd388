/** More processes at once than any build needs, and few enough for a host to bear. */
export const MAX_PROCESSES = 512;

/** The same command with limits of the kernel's: no core dumps, and no more than so many processes of its user. For root the latter is no limit. */
export function withLimits(command: readonly string[], processes: number): string[] {
  const script = `ulimit -c 0; ulimit -u ${processes} 2>/dev/null; exec "$@"`;
  return ['bash', '--norc', '--noprofile', '-c', script, 'limits', ...command];
}
