/** What the log keeps of a process, so that whoever takes over finds what is left of it. Never sent to clients. */
export interface ProcessTrace {
  /** Where the pid means something. */
  readonly host: string;
  /** Of the first process, and so of its group and session. */
  readonly pid: number;
  /** Clock ticks since the host was started. */
  readonly started_at: number;
  /** In the environment of all that it started. */
  readonly marker: string;
}

export function isProcessTrace(value: unknown): value is ProcessTrace {
  if (typeof value !== 'object' || value === null) return false;
  const { host, pid, started_at, marker } = value as Record<string, unknown>;
  return (
    typeof host === 'string' &&
    typeof marker === 'string' &&
    Number.isInteger(pid) &&
    Number.isInteger(started_at)
  );
}
