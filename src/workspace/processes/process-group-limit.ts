import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess } from './signal-process.js';

const KILL_MS = 2_500;
const POLL_MS = 10;
const MOUNT = '/sys/fs/cgroup';

/**
 * A control group (cgroup) that limits the number of processes of a command. It also limits root,
 * unlike every other limit, but the server needs the right to make control groups.
 */
export class ProcessGroupLimit {
  private constructor(private readonly path: string) {}

  /**
   * Undefined if this server can't make control groups here. The process must not have started its
   * command.
   */
  static async put(pid: number, max: number): Promise<ProcessGroupLimit | undefined> {
    const base = await findBase().catch(() => undefined);
    if (base === undefined) return undefined;
    const limit = new ProcessGroupLimit(join(base, `parley-${randomUUID()}`));
    try {
      await mkdir(limit.path);
      await writeFile(join(limit.path, 'pids.max'), String(max));
      await writeFile(join(limit.path, 'cgroup.procs'), String(pid));
      return limit;
    } catch {
      await limit.remove();
      return undefined;
    }
  }

  /**
   * Kills all processes of the group; their number can't exceed the limit. Resolves with true if
   * the group is empty.
   */
  async kill(): Promise<boolean> {
    for (const deadline = performance.now() + KILL_MS; performance.now() < deadline;) {
      const pids = await this.list();
      if (pids.length === 0) return true;
      for (const pid of pids) signalProcess(pid, 'SIGKILL');
      await delay(POLL_MS);
    }
    return false;
  }

  /** Zombie processes are not listed. */
  private async list(): Promise<number[]> {
    const text = await readFile(join(this.path, 'cgroup.procs'), 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean).map(Number);
  }

  /** Removes the group, if it is empty. */
  async remove(): Promise<void> {
    await rmdir(this.path).catch(() => {});
  }
}

/**
 * The server's own control group: in the hierarchy `pids` (version 1), or in the only hierarchy
 * (version 2).
 */
async function findBase(): Promise<string> {
  const lines = (await readFile('/proc/self/cgroup', 'utf8')).trim().split('\n');
  const [first] = lines
    // regex: of the kernel
    .map((line) => /^\d+:(?:\w+,)*pids(?:,\w+)*:(.*)$/.exec(line))
    .filter(Boolean);
  if (first?.[1] !== undefined) return join(MOUNT, 'pids', first[1]);
  const own = lines.find((line) => line.startsWith('0::'))?.slice(3) ?? '/';
  return join(MOUNT, own);
}
