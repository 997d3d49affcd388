import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** CPU time of the calibration where 100 ms are the budget, in milliseconds. */
const UNIT_MS = 20;
/** Rounds of the calibration: about `UNIT_MS` of CPU time on a current machine. */
const ROUNDS = 9_000_000;
const IDLE_MS = 50;
const IDLE_CPU_MS = 3;

/** CPU time that the main thread of a process has used, in milliseconds. */
async function cpuOf(pid: number): Promise<number> {
  const [ns] = (await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(ns) / 1e6;
}

/**
 * Least CPU time of the main thread in several runs, in milliseconds of a machine on which the
 * calibration takes `UNIT_MS`: neither the machine's speed nor its load counts.
 * @param most more runs only while the time is longer
 */
export async function mainThreadTime(
  pid: number,
  work: () => Promise<unknown>,
  { most, runs = 4 }: { readonly most: number; readonly runs?: number },
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < runs && least > most; run++) {
    await becomeIdle(pid);
    const before = await cpuOf(pid);
    await work();
    const used = (await cpuOf(pid)) - before;
    least = Math.min(least, used / speed());
  }
  return least;
}

/** What a process still does for former requests does not count. */
async function becomeIdle(pid: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const before = await cpuOf(pid);
    await sleep(IDLE_MS);
    if ((await cpuOf(pid)) - before < IDLE_CPU_MS) return;
  }
}

/** How many times as long as usual this machine takes at present. */
function speed(): number {
  const begun = process.cpuUsage();
  let sum = 1;
  for (let round = 0; round < ROUNDS; round++) sum = (sum * 31 + round) % 65_537;
  const { user, system } = process.cpuUsage(begun);
  return sum < 0 ? Infinity : (user + system) / 1000 / UNIT_MS;
}
