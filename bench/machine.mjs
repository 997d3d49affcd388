import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

/** What `/proc/<pid>/stat` counts in: 100 a second on every Linux that we know. */
const TICK_MS = 10;

const cores = allowedCores();
const hasTaskset = canRun('taskset', ['--version']);

/**
 * The server under test has a core of its own; model and clients share the rest. Undefined where
 * that can't be had.
 */
export const pins =
  hasTaskset && cores.length > 1
    ? { server: String(cores[0]), rest: cores.slice(1).join(',') }
    : undefined;

export function describeMachine() {
  return `${describeComputer()}\n${describePins()}`;
}

export function describeComputer() {
  const load = loadavg()[0].toFixed(1);
  return `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${cores.length} cores, Node ${process.version}, load ${load} at the start`;
}

function describePins() {
  return pins
    ? `the server alone on core ${pins.server}; model and clients on core ${pins.rest}; Postgres where the kernel puts it`
    : `nothing pinned (${hasTaskset ? 'only one core' : 'no taskset'}): wall-clock figures mean less, CPU figures hold`;
}

/**
 * User and system time of a process, all threads, in milliseconds. Zero where there is no `/proc`.
 */
export function cpuMs(pid) {
  const fields = readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : 0;
}

/** Resident memory of a process, in megabytes. Zero where there is no `/proc`. */
export function rssMb(pid) {
  const [, kb = '0'] = /^VmRSS:\s+(\d+)/m.exec(readProc(pid, 'status') ?? '') ?? [];
  return Number(kb) / 1024;
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function allowedCores() {
  const [, list] = /^Cpus_allowed_list:\s+(\S+)/m.exec(readProc('self', 'status') ?? '') ?? [];
  if (!list) return cpus().map((_, index) => index);
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function canRun(command, args) {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
