/**
 * What the client of a reconnect storm does, as its parent tells it:
 *
 * - `{ kind: 'watch', streams, ramp_ms }`: interactions with a strict reader each; done when each
 *   has had something
 * - `{ kind: 'drop' }`: all connections at once
 * - `{ kind: 'back', interval_ms }`: all at once, each to the next process; done when each has all
 *   that had been said by then
 * - `{ kind: 'finish' }`: to the end of them all
 */
import { setTimeout as delay } from 'node:timers/promises';
import { summarise } from '../percentiles.mjs';
import { portOf } from '../port-of.mjs';
import { Follower } from './follower.mjs';

const MAX_FAULTS = 20;
let followers = [];
/** So that nobody comes back to the process that it was connected to, if there is another. */
let turn = 0;

async function watch(job) {
  followers = Array.from({ length: job.streams }, () => new Follower());
  const firsts = [];
  for (const [i, follower] of followers.entries()) {
    firsts.push(follower.start(portOf(job, i), job.model));
    await delay(job.ramp_ms / job.streams);
  }
  await Promise.all(firsts);
  return {};
}

function drop() {
  for (const follower of followers) if (!follower.reader.done) follower.drop();
  return Promise.resolve({});
}

async function back(job) {
  turn++;
  const times = await Promise.all(
    followers.flatMap((follower, i) =>
      follower.reader.done ? [] : follower.back(portOf(job, i + turn), job.interval_ms),
    ),
  );
  return { caught_up_ms: summarise(times), came_back: times.length };
}

async function finish() {
  await Promise.all(followers.map(({ ended }) => ended));
  const readers = followers.map(({ reader }) => reader);
  return {
    completed: readers.filter(({ records }) => records.at(-1)?.status === 'COMPLETED').length,
    characters: readers.reduce((total, { characters }) => total + characters, 0),
    retries: followers.reduce((total, { retries }) => total + retries, 0),
    faults: readers.flatMap(({ faults }) => faults).slice(0, MAX_FAULTS),
  };
}

export const READER_JOBS = { watch, drop, back, finish };
