import { readFile, readdir, readlink } from 'node:fs/promises';

/** Command lines of all processes of this machine that have this in them, dead ones left out. */
export async function findProcesses(part: string): Promise<string[]> {
  const pids = await allProcesses();
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(part));
}

/** Ids of all processes of this machine that work in this folder. */
export async function findProcessesIn(folder: string): Promise<string[]> {
  const pids = await allProcesses();
  const folders = await Promise.all(
    pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')),
  );
  return pids.filter((_, index) => folders[index] === folder);
}

async function allProcesses(): Promise<string[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
}
