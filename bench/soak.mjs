/**
 * Connects, drops, comes back and reads for a while, and fails if the server's memory or its open
 * files grow meanwhile:
 *
 *   npm run soak -- [--minutes 60] [--store postgres|file|embedded] [--clients 8]
 *
 * Chats are deleted as they get old, so that what the server saves does not grow. The first fifth
 * of the time is warm-up; of the rest, the median of the last third may exceed that of the first
 * third by 10 % and `SLACK`.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from 'parley/client';
import { call } from './call.mjs';
import { describeComputer } from './machine.mjs';
import { startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore, removeStores } from './stores.mjs';

const SAMPLES = 60;
const CHATS_PER_CLIENT = 5;
const MAX_MESSAGES = 8;
const MAX_DROP_MS = 300;
/** A server that is away for so long is at fault. */
const GIVE_UP_MS = 30_000;
const MODELS = ['openai/flat-200', 'openai/agent-20', 'openai/paced-20-400'];
/** Growth in megabytes, or in files, that is taken for noise. */
const SLACK = { heap: 6, external: 6, rss: 24, files: 12 };
const GROWTH = 1.1;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    store: { type: 'string', default: 'postgres' },
    clients: { type: 'string', default: '8' },
  },
});

const counts = { interactions: 0, drops: 0, reads: 0, replays: 0, deleted: 0, faults: 0 };
const faults = new Set();

console.log(`${describeComputer()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
try {
  process.exitCode = (await soak(Number(values.minutes) * 60_000)) ? 0 : 1;
} finally {
  await model.stop();
  await removeStores();
}

async function soak(duration_ms) {
  const store = await openStore(values.store, { label: 'soak' });
  const command = productionCommand();
  const server = await startServer({ command, store, model, tellsMemory: true, pinned: false });
  try {
    const end = performance.now() + duration_ms;
    const clients = Array.from({ length: Number(values.clients) }, (_, n) =>
      useServer(server.port, n, end).catch((error) => fault(`client ${n} stopped: ${error}`)),
    );
    const samples = [];
    while (performance.now() < end) {
      await delay(Math.min(duration_ms / SAMPLES, end - performance.now()));
      samples.push(await sample(server));
    }
    await Promise.all(clients);
    return report(samples);
  } finally {
    await server.stop();
  }
}

async function sample(server) {
  const { heapUsed, external, rss } = await server.memory();
  const files = readdirSync(`/proc/${server.pid}/fd`).length;
  return { heap: heapUsed / 1e6, external: external / 1e6, rss: rss / 1e6, files };
}

/** One client: a few chats, each deleted after some messages. */
async function useServer(port, number, end) {
  const client = createClient({ url: `http://127.0.0.1:${port}` });
  let chats = 0;
  const open = [];
  while (performance.now() < end) {
    if (open.length === CHATS_PER_CLIENT) await remove(port, open.shift());
    const chat = `soak-${number}-${chats++}`;
    open.push(chat);
    for (let sent = 0; sent < MAX_MESSAGES && performance.now() < end; sent++) {
      await converse(client, chat);
      await look(port, chat);
    }
  }
}

/** Sends a message, drops some of its streams, and comes back until it has ended. */
async function converse(client, chat) {
  const body = {
    user_message: 'Go on.',
    model: pick(MODELS),
    on_conflict: 'interrupt',
    on_disconnect: 'continue',
  };
  let stream = client.start(chat, body, drop(MAX_DROP_MS));
  let hasEnded = await read(stream);
  counts.interactions++;
  const { interaction_id } = stream;
  if (!interaction_id) return; // dropped before its first event
  while (!hasEnded) {
    counts.drops++;
    const { cursor } = stream;
    stream = client.follow(chat, interaction_id, { cursor, ...drop(MAX_DROP_MS) });
    hasEnded = await read(stream);
  }
  if (!chance()) return;
  counts.replays++;
  await read(client.follow(chat, interaction_id, drop(1)));
}

/** Of two streams one is dropped within this time. */
function drop(limit_ms) {
  const signal = AbortSignal.timeout(Math.ceil(Math.random() * limit_ms));
  return { give_up_ms: GIVE_UP_MS, ...(chance() && { signal }) };
}

/** False: it was dropped before its end. */
async function read(stream) {
  try {
    for await (const event of stream) if (event.type === 'INTERACTION_COMPLETE') return true;
  } catch (error) {
    if (error.name === 'TimeoutError') return false;
    fault(error.message);
  }
  return true;
}

async function look(port, chat) {
  const path = pick([
    `/chats/${chat}`,
    '/chats',
    '/requests',
    `/agents/tree?chat_id=${chat}`,
    `/chats/${chat}/log`,
  ]);
  const { status } = await call({ port, path });
  counts.reads++;
  if (status !== 200 && status !== 404) fault(`GET ${path}: ${status}`);
}

async function remove(port, chat) {
  const { status } = await call({ port, path: `/chats/${chat}`, method: 'DELETE' });
  counts.deleted++;
  if (status !== 204 && status !== 404) fault(`DELETE: ${status}`);
}

function report(samples) {
  console.log(
    Object.entries(counts)
      .map(([name, n]) => `${n} ${name}`)
      .join(', '),
  );
  for (const text of faults) console.log(`  ${text}`);
  const warm = samples.slice(Math.floor(samples.length / 5));
  const third = Math.floor(warm.length / 3);
  const flat = Object.keys(SLACK).map((name) => {
    const first = median(warm.slice(0, third).map((each) => each[name]));
    const last = median(warm.slice(-third).map((each) => each[name]));
    const grows = last > first * GROWTH + SLACK[name];
    console.log(
      `${name.padEnd(9)} ${first.toFixed(0).padStart(5)} → ${last.toFixed(0).padStart(5)}${grows ? '  grows' : ''}`,
    );
    return !grows;
  });
  return flat.every(Boolean) && counts.faults === 0;
}

function fault(text) {
  counts.faults++;
  if (faults.size < 10) faults.add(text);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

function pick(list) {
  return list[Math.floor(Math.random() * list.length)];
}

function chance() {
  return Math.random() < 0.5;
}
