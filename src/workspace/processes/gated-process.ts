import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { userUmask } from '../../kernel/disk/umask.js';
import { hostId } from './host-id.js';
import type { OutputPipe } from './output-pipe.js';
import { ProcessFamily } from './process-family.js';
import { readProcess } from './process-table.js';
import type { ProcessTrace } from './process-trace.js';

export interface GatedProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The pipe for standard output and standard error. */
  readonly output: OutputPipe;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Shell script that restores the user's umask, waits for one line, then becomes the command.
 * Without the line, no part of the command ever runs.
 */
const GATE = 'umask "$1"; shift; IFS= read -r -u 3 && exec 3<&- && exec "$@"; exit 125';
/** Variable that each process of the server's programs has, with a value of its own. */
export const PROCESS_MARKER = 'PARLEY_PROCESS';

/**
 * A process in its own session that is started but blocked until it is released, so that the log
 * can record it first.
 */
export class GatedProcess {
  readonly exited: Promise<ProcessExit>;

  private constructor(
    readonly pid: number,
    private readonly child: ChildProcess,
    readonly family: ProcessFamily,
    /** Undefined if this host has no permanent identifiers for processes. */
    readonly trace: ProcessTrace | undefined,
  ) {
    this.exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as ProcessExit);
    this.gate.on('error', () => {}); // it died before its release; `exited` reports that
  }

  /** @throws Error if there is no bash, or if no further process can be started */
  static async spawn(
    command: readonly string[],
    { cwd, env, output }: GatedProcessOptions,
  ): Promise<GatedProcess> {
    const marker = `${PROCESS_MARKER}=${randomUUID()}`;
    const umask = userUmask().toString(8);
    const child = spawn('bash', ['--norc', '--noprofile', '-c', GATE, 'gate', umask, ...command], {
      cwd,
      env: { ...env, [PROCESS_MARKER]: marker.slice(PROCESS_MARKER.length + 1) },
      detached: true,
      stdio: ['ignore', output.fd, output.fd, 'pipe'],
    });
    await Promise.all([once(child, 'spawn'), output.handedOver()]);
    const pid = child.pid!;
    const started_at = (await readProcess(pid))?.started_at ?? 0;
    const family = new ProcessFamily({ pid, started_at, marker, isRecent: true });
    const host = await hostId();
    const trace = host === undefined ? undefined : { host, pid, started_at, marker };
    return new GatedProcess(pid, child, family, trace);
  }

  letGo(): void {
    this.gate.end('go\n');
  }

  private get gate(): Writable {
    return this.child.stdio[3] as Writable;
  }
}
