/**
 * The record of a process in the log, which lets a new run find the processes that are left. Never
 * sent to clients.
 */
export interface ProcessTrace {
  /** The scope in which the pid is valid. */
  readonly host: string;
  /** The pid of the first process, which is also the id of its group and session. */
  readonly pid: number;
  /** Clock ticks since the host was booted. */
  readonly started_at: number;
  /** A value in the environment of all processes that it started. */
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
