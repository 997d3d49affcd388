import { setTimeout as delay } from 'node:timers/promises';
import { hasInEnvironment, readProcess, readProcessTable } from './process-table.js';
import type { ProcessEntry } from './process-table.js';
import { signalProcess } from './signal-process.js';
import type { ProcessTrace } from './process-trace.js';

type Origin = Pick<ProcessTrace, 'pid' | 'marker' | 'started_at'> & {
  /**
   * True if the process has just ended, if it has: its pid can't be reused yet, so every process in
   * its session or group belongs to the family.
   */
  readonly isRecent?: boolean;
};

export interface StopOptions {
  /** Time for the processes to end by themselves, in milliseconds. */
  readonly grace_ms: number;
  /**
   * Number of levels, from the first process down, that get no request to end: if one of them
   * ended, all processes below would die at once.
   */
  readonly wrappers: number;
}

const POLL_MS = 15;
/** Timeout for killing processes that keep creating new ones. */
const KILL_MS = 2_500;

/**
 * A process and all processes that came from it: its descendants, its session and group, and every
 * process with its marker in the environment. A process that leaves its session and parent and
 * clears its environment is not found: only a sandbox can contain it.
 */
export class ProcessFamily {
  constructor(private readonly origin: Origin) {}

  /** The running processes, parents before their children as far as they are known. */
  async members(): Promise<ProcessEntry[]> {
    const table = await readProcessTable();
    const found = this.relatives(table);
    const others = [...table.values()].filter(
      (entry) => !found.has(entry.pid) && this.isYounger(entry),
    );
    const marked = await Promise.all(
      others.map(async (entry) => (await hasInEnvironment(entry.pid, this.origin.marker)) && entry),
    );
    for (const entry of marked) if (entry) found.set(entry.pid, entry);
    addDescendants(table, found);
    return [...found.values()];
  }

  /** The number of processes, without those that only the marker identifies. */
  async count(): Promise<number> {
    return this.relatives(await readProcessTable()).size;
  }

  /** Requests the processes to end, and waits. Resolves with true if all are gone. */
  async end({ grace_ms, wrappers }: StopOptions): Promise<boolean> {
    const members = await this.members();
    if (members.length === 0) return true;
    for (const { pid } of this.below(members, wrappers)) {
      signalProcess(pid, 'SIGTERM');
      signalProcess(pid, 'SIGCONT'); // a stopped process receives SIGTERM only then
    }
    const deadline = performance.now() + grace_ms;
    for (let wait = POLL_MS; performance.now() < deadline; wait *= 1.5) {
      await delay(Math.min(wait, deadline - performance.now()));
      if ((await this.members()).length === 0) return true;
    }
    return false;
  }

  /**
   * Kills the processes. Wrapped processes all die with their wrapper. Of the others, those that
   * create new processes are stopped first, until no new ones appear.
   */
  async kill(wrappers: number): Promise<boolean> {
    if (wrappers > 0 && (await this.isFirstAlive())) signalProcess(this.origin.pid, 'SIGKILL');
    const halted = new Set<number>();
    const deadline = performance.now() + KILL_MS;
    for (;;) {
      const members = await this.members();
      if (members.length === 0) return true;
      if (performance.now() > deadline) return false;
      const fresh = members.filter(({ pid }) => !halted.has(pid));
      for (const { pid } of fresh) signalProcess(pid, 'SIGSTOP');
      if (fresh.length === 0) for (const { pid } of members) signalProcess(pid, 'SIGKILL');
      for (const { pid } of fresh) halted.add(pid);
      if (fresh.length === 0) await delay(POLL_MS);
    }
  }

  private isYounger({ pid, started_at }: ProcessEntry): boolean {
    return started_at >= this.origin.started_at && pid !== process.pid;
  }

  private async isFirstAlive(): Promise<boolean> {
    const first = await readProcess(this.origin.pid);
    return first?.started_at === this.origin.started_at;
  }

  /** If the first process is gone, its pid may be reused, and so may the id of its group. */
  private relatives(table: Map<number, ProcessEntry>): Map<number, ProcessEntry> {
    const { pid, started_at, isRecent = false } = this.origin;
    const first = table.get(pid);
    const found = new Map<number, ProcessEntry>();
    if (first ? first.started_at !== started_at : !isRecent) return found;
    for (const entry of table.values())
      if (entry.pid === pid || entry.session === pid || entry.group === pid)
        found.set(entry.pid, entry);
    addDescendants(table, found);
    return found;
  }

  private below(members: readonly ProcessEntry[], wrappers: number): readonly ProcessEntry[] {
    let level = new Set([this.origin.pid]);
    const above = new Set<number>();
    for (let depth = 0; depth < wrappers; depth++) {
      for (const pid of level) above.add(pid);
      const next = members.filter(({ parent }) => level.has(parent));
      level = new Set(next.map(({ pid }) => pid));
    }
    return members.filter(({ pid }) => !above.has(pid));
  }
}

function addDescendants(table: Map<number, ProcessEntry>, found: Map<number, ProcessEntry>): void {
  let size = -1;
  while (size !== found.size) {
    size = found.size;
    for (const entry of table.values()) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
}
