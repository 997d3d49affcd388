/**
 * Measures the memory of a built server per idle stream, all of it and the JavaScript heap:
 *
 *   node bench/idle-streams.mjs [--streams 1000] [--chat]
 *
 * `--chat` measures streams of one chat, in place of the feed. Aim: less than 60 KB each.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../dist/client/index.js';
import { describeMachine, rssMb } from './machine.mjs';
import { startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore, removeStores } from './stores.mjs';

/** Opened before the first measurement, so that what the first ones load does not count. */
const WARM = 50;
/** For garbage, and for some heartbeats. */
const SETTLE_MS = 5_000;

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    chat: { type: 'boolean', default: false },
  },
});

console.log(`${describeMachine()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
const store = await openStore('file');
const server = await startServer({
  command: productionCommand(),
  ...{ store, model, tellsMemory: true, pinned: false, env: { HEARTBEAT_MS: '1000' } },
});
const client = createClient({ url: `http://127.0.0.1:${server.port}` });
try {
  for (let n = 0; n < 60; n++) await client.chats.create({ id: `bench-${n}` });
  await open(WARM);
  await delay(SETTLE_MS);
  const before = { ...(await server.memory()), rss: rssMb(server.pid) };
  const count = Number(values.streams);
  await open(count);
  await delay(SETTLE_MS);
  const after = { ...(await server.memory()), rss: rssMb(server.pid) };
  const rss = ((after.rss - before.rss) * 1024) / count;
  const heap = (after.heapUsed - before.heapUsed) / 1024 / count;
  console.log(
    `${count} idle streams of ${values.chat ? 'a chat' : 'the feed'}: ${rss.toFixed(1)} KB RSS each, ${heap.toFixed(1)} KB of it heap`,
  );
} finally {
  await server.stop();
  await model.stop();
  await removeStores();
}

async function open(count) {
  for (let n = 0; n < count; n += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - n) }, openOne));
}

/** Resolves with its first event; then it is read on until the server stops. */
async function openOne() {
  const options = { give_up_ms: 0 };
  const stream = values.chat ? client.chat('bench-0').events(options) : client.feed(options);
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  void readOn(events).catch(() => {});
}

async function readOn(events) {
  while (!(await events.next()).done);
}
