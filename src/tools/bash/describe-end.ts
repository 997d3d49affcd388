import { MAX_PROCESSES } from '../../workspace/sandbox/with-limits.js';
import type { CommandEnd } from '../../workspace/command-runner.js';

/** How a command ended, for the model. */
export function describeEnd(
  { code, signal, stopped }: CommandEnd,
  timeoutMs: number | undefined,
): string {
  switch (stopped) {
    case 'aborted':
      return timeoutMs === undefined
        ? '[The command was stopped before it was done.]'
        : `[The command took longer than ${timeoutMs} ms and was stopped.]`;
    case 'too_many_processes':
      return `[The command was killed: it had become more than ${MAX_PROCESSES} processes.]`;
    case undefined:
      return code === null ? `[The command was killed by ${signal}.]` : `[exit code ${code}]`;
  }
}
