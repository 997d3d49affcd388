/**
 * Puts load on a server and counts what comes back. Does one job after the other, as its parent
 * sends them:
 *
 * - `{ kind: 'closed', at_once, seconds | answers }`: so many interactions at once, each followed
 *   by the next
 * - `{ kind: 'paced', streams, ramp_ms, window_ms }`: streams that start over the ramp; deltas are
 *   counted in the window after it
 * - `{ kind: 'open', streams }`: streams that stay open; done when each has had something
 * - `{ kind: 'close' }`: leaves them
 * - `{ kind: 'leave', interactions, at_once }`: interactions in the background
 * - `{ kind: 'approve', requests, at_once }`: approves what they ask for, and reads them to their
 *   end
 *
 * - `{ kind: 'watch', streams, ramp_ms }`: strict readers, and with `drop`, `back` and `finish`
 *   what becomes of them: `load/readers.mjs`
 *
 * and all with `{ port | ports, is_proxy, model }`.
 */
import { Agent, request as ask } from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { READER_JOBS } from './load/readers.mjs';
import { approve, startAndLeave } from './people.mjs';
import { summarise } from './percentiles.mjs';
import { portOf } from './port-of.mjs';
import { ageOf } from './stamp.mjs';
import { Tally } from './tally.mjs';

const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });
const open = new Set();
let started = 0;

/**
 * Starts an interaction in a new chat, or a completion at the proxy. `done` resolves when the
 * stream has ended, however.
 */
function start(job, options = {}) {
  const { is_proxy, model } = job;
  const tally = new Tally({ isProxy: is_proxy, onDelta: options.onDelta });
  const begun = performance.now();
  let first;
  let request;
  const done = new Promise((resolve) => {
    request = ask(requestTo(portOf(job, started++), is_proxy), (response) => {
      response.on('data', (chunk) => {
        tally.push(chunk);
        if (first !== undefined || tally.deltas === 0) return;
        first = performance.now() - begun;
        options.onFirst?.();
      });
      response.on('close', () => resolve({ tally, first, whole: performance.now() - begun }));
    });
    request.on('error', () => resolve({ tally, first, whole: performance.now() - begun }));
    request.end(JSON.stringify(is_proxy ? completion(model) : interaction(model)));
  });
  return { request, done };
}

function requestTo(port, isProxy) {
  const path = isProxy
    ? '/v1/chat/completions'
    : `/chats/chat_${randomUUID().replaceAll('-', '')}/interactions`;
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  return { host: '127.0.0.1', port, path, method: 'POST', headers, agent };
}

function completion(model) {
  const messages = [{ role: 'user', content: 'What is six times seven?' }];
  return { model, messages, stream: true, stream_options: { include_usage: true } };
}

function interaction(model) {
  return { user_message: 'What is six times seven?', model: `openai/${model}` };
}

async function closed(job) {
  const begun = performance.now();
  const { at_once, seconds = Infinity, answers = Infinity } = job;
  const end = begun + seconds * 1000;
  const results = [];
  let asked = 0;
  const worker = async () => {
    while (performance.now() < end && asked++ < answers) results.push(await start(job).done);
  };
  await Promise.all(Array.from({ length: at_once }, worker));
  const good = results.filter(({ tally }) => tally.completed);
  return {
    seconds: (performance.now() - begun) / 1000,
    ...totals(good),
    failed: results.length - good.length,
    first_delta_ms: summarise(good.flatMap(({ first }) => first ?? [])),
    whole_ms: summarise(good.map(({ whole }) => whole)),
  };
}

function totals(results) {
  const sum = (field) => results.reduce((total, { tally }) => total + tally[field], 0);
  return {
    answers: results.length,
    deltas: sum('deltas'),
    frames: sum('frames'),
    bytes: sum('bytes'),
  };
}

async function paced(job) {
  const lateness = [];
  let isOpen = false;
  const onDelta = (text, at) => isOpen && lateness.push(ageOf(text, at));
  const streams = [];
  for (let i = 0; i < job.streams; i++) {
    streams.push(start(job, { onDelta }));
    await delay(job.ramp_ms / job.streams);
  }
  process.send('window');
  isOpen = true;
  const begun = performance.now();
  await delay(job.window_ms);
  isOpen = false;
  const seconds = (performance.now() - begun) / 1000;
  process.send('window');
  const results = await Promise.all(streams.map(({ done }) => done));
  return {
    seconds,
    carried: lateness.length,
    lateness_ms: summarise(lateness),
    first_delta_ms: summarise(results.flatMap(({ first }) => first ?? [])),
    failed: results.filter(({ tally }) => !tally.completed).length,
    ...totals(results),
  };
}

async function openStreams(job) {
  const firsts = Array.from({ length: job.streams }, () => {
    return new Promise((resolve) => open.add(start(job, { onFirst: resolve }).request));
  });
  await Promise.all(firsts);
  return { open: open.size };
}

function closeStreams() {
  for (const request of open) request.destroy();
  open.clear();
  return {};
}

const JOBS = {
  closed,
  paced,
  open: openStreams,
  close: closeStreams,
  leave: startAndLeave,
  approve,
  ...READER_JOBS,
};

process.on('message', (job) => void JOBS[job.kind](job).then((result) => process.send(result)));
process.on('disconnect', () => process.exit());
process.send('ready');
