import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process, as the system reports it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /**
   * Start time in clock ticks since the host was booted: together with the pid it identifies a
   * process permanently. 0 if unknown.
   */
  readonly started_at: number;
}

/** All running processes, by pid; without zombie processes. */
export async function readProcessTable(): Promise<Map<number, ProcessEntry>> {
  const entries = process.platform === 'linux' ? await readAll() : await askPs();
  return new Map(entries.map((entry) => [entry.pid, entry]));
}

async function readAll(): Promise<ProcessEntry[]> {
  const names = await readdir('/proc');
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const entries = await Promise.all(pids.map(readProcess));
  return entries.filter((entry) => entry !== undefined);
}

/** Fallback if there is no `/proc`: less detail, but the same on every Unix. */
export async function askPs(): Promise<ProcessEntry[]> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,pgid=,stat=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state = ''] = line.trim().split(/\s+/);
    if (!pid || state.startsWith('Z')) return [];
    const entry = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return [{ ...entry, session: entry.group, started_at: 0 }];
  });
}

/** Undefined if the process is dead. */
export async function readProcess(pid: number): Promise<ProcessEntry | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name is in parentheses, and may contain some.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (text === '' || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started_at: Number(fields[19]),
  };
}

/** True if the process has this text in its environment, and so was started by this server. */
export async function hasInEnvironment(pid: number, text: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.includes(text);
}
