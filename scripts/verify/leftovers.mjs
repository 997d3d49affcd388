import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Names the run to all processes that it starts, in whichever group or session they are. */
export const MARK = 'PARLEY_VERIFY';
const TERM_MS = 10_000;
const POLL_MS = 100;

/** Whether this process is a run that goes on. */
export function isVerify(pid) {
  return read(pid, 'cmdline').includes('scripts/verify.mjs');
}

/** First asks them to end. Finds them on Linux only. */
export async function endProcessesOf(run) {
  for (let waited = 0; pidsOf(run).length > 0; waited += POLL_MS) {
    const signal = waited < TERM_MS ? 'SIGTERM' : 'SIGKILL';
    if (waited % TERM_MS === 0) for (const pid of pidsOf(run)) kill(pid, signal);
    await delay(POLL_MS);
  }
}

function pidsOf(run) {
  if (!existsSync('/proc')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isMarked = (pid) => read(pid, 'environ').split('\0').includes(`${MARK}=${run}`);
  return pids.map(Number).filter((pid) => pid !== run && isMarked(pid));
}

/** Empty for a process that has ended or is not ours. */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
