/**
 * Measures the memory of a built server per idle stream, all of it and the JavaScript heap:
 *
 *   node bench/idle-streams.mjs [--streams 1000] [--path /events]
 *
 * `--path /chats/bench/events` measures streams of one chat. Aim: less than 60 KB each.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
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
    path: { type: 'string', default: '/events' },
  },
});

console.log(`${describeMachine()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
const store = await openStore('file');
const server = await startServer({
  command: productionCommand(),
  ...{ store, model, tellsMemory: true, pinned: false, env: { HEARTBEAT_MS: '1000' } },
});
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
try {
  for (let n = 0; n < 60; n++) await post(`/chats`, { id: n === 0 ? 'bench' : `bench-${n}` });
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
    `${count} idle streams of ${values.path}: ${rss.toFixed(1)} KB RSS each, ${heap.toFixed(1)} KB of it heap`,
  );
} finally {
  agent.destroy();
  await server.stop();
  await model.stop();
  await removeStores();
}

async function open(count) {
  for (let n = 0; n < count; n += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - n) }, openOne));
}

/** Resolves with its first frame; then it is read on. */
function openOne() {
  return new Promise((resolve, reject) => {
    const { port } = server;
    const accept = 'text/event-stream';
    request({ agent, host: '127.0.0.1', port, path: values.path, headers: { accept } })
      .on('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`));
        response.on('data', (chunk) => String(chunk).includes('data: ') && resolve());
      })
      .on('error', () => resolve())
      .end();
  });
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${server.port}${path}`;
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}
