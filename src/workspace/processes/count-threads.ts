import { readFile } from 'node:fs/promises';

/** The number of threads of all processes of the host; 0 if unknown. */
export async function countThreads(): Promise<number> {
  const loadavg = await readFile('/proc/loadavg', 'utf8').catch(() => '');
  return Number(/\/(\d+)/.exec(loadavg)?.[1] ?? 0);
}
