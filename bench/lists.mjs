/**
 * Measures lists, views and changes of large chats on a built server, the longest stall of its
 * event loop meanwhile, and its memory while readers take nothing of a long replay:
 *
 *   npm run bench:lists -- [--store postgres,embedded,file] [--chats 10000]
 *     [--interactions 2000] [--records 20000] [--readers 20]
 *
 * Aim: each answer within 200 ms and 20 MB.
 */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { call } from './call.mjs';
import { timeChanges } from './lists/changes.mjs';
import { seed } from './lists/seed.mjs';
import { describeMachine } from './machine.mjs';
import { startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore, removeStores } from './stores.mjs';

const ROUNDS = 7;
const AIM = { ms: 200, mb: 20 };
/** Records of a megabyte in the log that readers don't take. */
const WIDE = 60;
const SETTLE_MS = 3_000;

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres,embedded,file' },
    chats: { type: 'string', default: '10000' },
    interactions: { type: 'string', default: '2000' },
    records: { type: 'string', default: '20000' },
    readers: { type: 'string', default: '20' },
  },
});

console.log(`${describeMachine()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
try {
  for (const kind of values.store.split(',')) await measure(kind);
} finally {
  await model.stop();
  await removeStores();
}

async function measure(kind) {
  const store = await openStore(kind, { label: 'lists' });
  const counts = {
    chats: values.chats,
    interactions: values.interactions,
    records: values.records,
  };
  const sizes = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, Number(n)]));
  const seeded = await seed(store.env, { ...sizes, wide: WIDE });
  const server = await startServer({
    ...{ command: productionCommand(), store, model, tellsMemory: true, pinned: false },
  });
  try {
    console.log(`${kind}: ready after ${Math.round(server.ready_ms)} ms`);
    for (const [name, path, method, body] of viewsOf(seeded))
      await time(server, { name, path, method, body });
    await stall(server, seeded.wide);
    await timeChanges(server, seeded, report);
  } finally {
    await server.stop();
  }
  await store.remove();
}

function viewsOf({ long, busy }) {
  const ofLong = `/chats/${long.chat_id}`;
  return [
    ['chats', '/chats?limit=200'],
    ['chat, newest 50', ofLong],
    ['chat, 200', `${ofLong}?limit=200`],
    ['chat, 200, all states', `${ofLong}?limit=200&state=all`],
    ['chat, 200, all branches', `${ofLong}?limit=200&include=superseded`],
    ['chat with a long interaction', `/chats/${busy.chat_id}`],
    ['PATCH chat', ofLong, 'PATCH', { title: 'Long' }],
    ['last interaction of a long chat', `${ofLong}/interactions/${long.id}`],
    ['long interaction', `/chats/${busy.chat_id}/interactions/${busy.id}`],
    ['requests, all', '/requests?status=all&limit=200'],
    ['rules', '/permissions/rules?limit=200'],
    ['tree of a long interaction', `/agents/tree?interaction_id=${busy.id}`],
    ['agent of a long interaction', `/agents/agent_${busy.id}`],
    ['agent that is not there', '/agents/agent_unknown'],
  ];
}

/** The median of some rounds after a first one. */
async function time(server, { name, path, method = 'GET', body }) {
  await server.memory();
  const all = [];
  let answer;
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = performance.now();
    answer = await call({ port: server.port, path, method, body });
    if (round > 0) all.push(performance.now() - begun);
  }
  const ms = all.toSorted((a, b) => a - b)[ROUNDS >> 1];
  const { stall_ms, cpu_ms } = await server.memory();
  const mb = answer.text.length / 1e6;
  report({ name, ms, mb, status: answer.status, stall_ms, cpu_ms: cpu_ms / (ROUNDS + 1) });
}

function report({ name, ms, mb, status, stall_ms, cpu_ms }) {
  const misses = ms > AIM.ms || mb > AIM.mb ? '  misses the aim' : '';
  const figures = `${ms.toFixed(0).padStart(6)} ms ${mb.toFixed(2).padStart(8)} MB`;
  const stalled = `${cpu_ms.toFixed(0).padStart(6)} ms of CPU${stall_ms.toFixed(0).padStart(6)} ms stalled`;
  console.log(`  ${name.padEnd(34)}${figures}${stalled}  ${status}${misses}`);
}

/** What the server has in memory for readers that take nothing of a long log. */
async function stall(server, { chat_id, id }) {
  const before = await server.memory();
  const path = `/chats/${chat_id}/interactions/${id}/events`;
  const readers = Array.from({ length: Number(values.readers) }, () => {
    const asked = request({ host: '127.0.0.1', port: server.port, path }, (answer) =>
      answer.pause(),
    );
    asked.on('error', () => {});
    asked.end();
    return asked;
  });
  await delay(SETTLE_MS);
  const after = await server.memory();
  const grown = (field) => ((after[field] - before[field]) / 1e6).toFixed(0);
  const parts = ['rss', 'heapUsed', 'external'].map((field) => `${field} ${grown(field)} MB`);
  console.log(`  ${values.readers} readers that take nothing: ${parts.join(', ')} more`);
  for (const reader of readers) reader.destroy();
}
