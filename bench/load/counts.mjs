import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs, rssMb } from '../machine.mjs';
import { countWrites } from '../stores.mjs';

/** An idle connection of Postgres tells within that what it did. */
const TOLD_MS = 11_000;
const REST_S = TOLD_MS / 1000;

/**
 * What Postgres and Redis did so far, once all of it has been told. Redis counts for everybody who
 * uses it.
 */
export async function countWork({ store, redis }) {
  await delay(TOLD_MS);
  const { commits, rows } = await countWrites(store.url);
  const { redis_commands, redis_scripts } = await redis.count();
  return { commits, rows, redis_commands, redis_scripts, at: performance.now() };
}

/**
 * What an arrangement does when nobody asks anything of it, in a second, and where its counts stand
 * now.
 */
export async function countAtRest(cluster) {
  const before = await countWork(cluster);
  const cpu = totalCpu(cluster);
  const now = await countWork(cluster);
  const { commits, redis_commands, redis_scripts, rows } = perSecond(before, now);
  const cpu_percent = (totalCpu(cluster) - cpu) / REST_S / 10;
  return { now, rest: { commits, rows, redis_commands, redis_scripts, cpu_percent } };
}

/**
 * What was done between two counts beyond what is done at rest, for each of so many interactions.
 */
export function perInteraction({ before, after, rest }, interactions) {
  const seconds = (after.at - before.at) / 1000;
  const each = (field) =>
    Math.max(0, after[field] - before[field] - rest[field] * seconds) / interactions;
  return {
    commits: each('commits'),
    rows: each('rows'),
    redis_commands: each('redis_commands'),
    redis_scripts: each('redis_scripts'),
  };
}

function perSecond(before, after) {
  const seconds = (after.at - before.at) / 1000;
  return Object.fromEntries(
    Object.keys(before).map((field) => [field, (after[field] - before[field]) / seconds]),
  );
}

/** CPU time so far: of all processes, of each role, and of Redis, in milliseconds. */
export async function readCpu({ processes, redis }) {
  const of = (role) => sum(processes.filter((each) => each.role === role).map(timeOf));
  return {
    all: sum(processes.map(timeOf)),
    api: of('api'),
    worker: of('worker'),
    redis: (await redis.count()).redis_cpu_ms,
  };
}

/** CPU between two readings, divided by so many. */
export function cpuPer(count, { before, after }) {
  const each = (field) => (after[field] - before[field]) / count;
  return {
    cpu_ms: each('all'),
    cpu_api_ms: each('api') || undefined,
    cpu_worker_ms: each('worker') || undefined,
    cpu_redis_ms: each('redis'),
  };
}

/** Resident memory of all processes, and of the largest of each role, in megabytes. */
export function readRss({ processes }) {
  const sizes = processes.map(({ role, pid }) => ({ role, mb: rssMb(pid) }));
  const largest = (role) =>
    Math.max(0, ...sizes.filter((each) => each.role === role).map(({ mb }) => mb)) || undefined;
  return {
    rss_mb: sum(sizes.map(({ mb }) => mb)),
    rss_api_mb: largest('api'),
    rss_worker_mb: largest('worker'),
  };
}

/** Memory in use once the garbage is gone, of all processes, in megabytes. */
export async function readHeap({ processes }) {
  const used = await Promise.all(processes.map((each) => each.memory()));
  return sum(used.map(({ heapUsed, external }) => heapUsed + external)) / 1024 / 1024;
}

function totalCpu({ processes }) {
  return sum(processes.map(timeOf));
}

function timeOf({ pid }) {
  return cpuMs(pid);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
