import { setTimeout as delay } from 'node:timers/promises';
import { hasInEnvironment, readProcess, readProcessTable } from './process-table.js';
import type { ProcessEntry } from './process-table.js';
import { signalProcess } from './signal-process.js';
import type { ProcessTrace } from './process-trace.js';

type Origin = Pick<ProcessTrace, 'pid' | 'marker' | 'started_at'> & {
  /** It ended just now, if it has: its number can't be another's yet, so what is in its session or group is of the family. */
  readonly isRecent?: boolean;
};

export interface StopOptions {
  /** How long they may take to end by themselves, in milliseconds. */
  readonly grace_ms: number;
  /** How many levels from the first process down are not asked, because all below them would die at once. */
  readonly wrappers: number;
}

const POLL_MS = 15;
/** How long it may take to kill what keeps making more of itself. */
const KILL_MS = 2_500;

/**
 * A process and all that came of it: its descendants, its session and group, and whatever has its marker in the environment. A process that
 * leaves session and parent and clears its environment is not found: only a sandbox holds that.
 */
export class ProcessFamily {
  constructor(private readonly origin: Origin) {}

  /** Those that run now, parents before their children as far as they are known. */
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

  /** How many there are, without those that hide. */
  async count(): Promise<number> {
    return this.relatives(await readProcessTable()).size;
  }

  /** Asks them to end, and waits. Resolves with whether all are gone. */
  async end({ grace_ms, wrappers }: StopOptions): Promise<boolean> {
    const members = await this.members();
    if (members.length === 0) return true;
    for (const { pid } of this.below(members, wrappers)) {
      signalProcess(pid, 'SIGTERM');
      signalProcess(pid, 'SIGCONT'); // who is halted hears it only then
    }
    const deadline = performance.now() + grace_ms;
    for (let wait = POLL_MS; performance.now() < deadline; wait *= 1.5) {
      await delay(Math.min(wait, deadline - performance.now()));
      if ((await this.members()).length === 0) return true;
    }
    return false;
  }

  /** What is wrapped dies with its wrapper, all at once. Of the others, those that make more of themselves are halted first, until no new ones turn up. */
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

  /** Where the first process is gone its pid may be another's by now, and so may its group's. */
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
