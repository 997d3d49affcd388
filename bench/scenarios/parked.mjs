import { setTimeout as delay } from 'node:timers/promises';
import { askAboutCalls, readInbox, until } from '../inbox.mjs';
import { cpuMs } from '../machine.mjs';
import { startServer } from '../server.mjs';
import { countParked, openStore } from '../stores.mjs';

const WAITING = 10_000;
const APPROVED = 100;
/**
 * So few may run at once that nearly all of those that wait must have been let go of before the
 * last can ask.
 */
const ENV = { PARK_AFTER_MS: '200', MAX_CONCURRENT_RUNS: '256' };
/** So that everything is loaded and compiled; the calculator needs no approval yet. */
const WARM_UP = { kind: 'closed', model: 'agent-20', at_once: 16, seconds: 5 };
const START = { kind: 'leave', model: 'agent-20', interactions: WAITING, at_once: 16 };
const APPROVE = { kind: 'approve', at_once: 16 };
/** Others, who ask for nothing that needs approval. */
const OTHERS = { kind: 'closed', model: 'flat-20', at_once: 1, answers: 100 };
const SETTLE_MS = 2_000;
const REST_MS = 5_000;

/**
 * What ten thousand interactions cost that wait for a person, and how they go on. In a store of
 * their own: they stay there.
 */
export async function parked(bench, { store: { kind } }) {
  const store = await openStore(kind);
  try {
    const server = await startServer({ ...bench, store, tellsMemory: true, env: ENV });
    try {
      return await measure(bench.client, { server, store });
    } finally {
      await server.stop();
    }
  } finally {
    await store.remove();
  }
}

async function measure(client, { server, store }) {
  const { port } = server;
  await client.run({ ...WARM_UP, port });
  const before = await memory(server);
  await askAboutCalls(port);
  const asked = await client.run({ ...START, port });
  const requests = await untilAllWait(port);
  await untilAllParked(store);
  const after = await memory(server);
  const cpu_percent = await cpuAtRest(server);
  const others = await client.run({ ...OTHERS, port });
  const approved = await client.run({ ...APPROVE, port, requests: requests.slice(0, APPROVED) });
  const mb = (field) => (after[field] - before[field]) / 1024 / 1024;
  return {
    heap_before_mb: before.heapUsed / 1024 / 1024,
    heap_more_mb: mb('heapUsed'),
    external_more_mb: mb('external'),
    rss_mb: after.rss / 1024 / 1024,
    cpu_percent,
    first_delta_p50_ms: others.first_delta_ms.p50,
    first_delta_p99_ms: others.first_delta_ms.p99,
    starts_per_s: (WAITING - asked.failed) / asked.seconds,
    approvals_per_s: (APPROVED - approved.failed) / approved.seconds,
    whole_p50_ms: approved.whole_ms.p50,
    failed: asked.failed + others.failed + approved.failed,
  };
}

/** Resolves with the inbox once it is complete. */
async function untilAllWait(port) {
  let requests = [];
  await until(async () => (requests = await readInbox(port)).length === WAITING, 'asked');
  return requests;
}

/** Only Postgres can be asked from outside. Elsewhere it shows in the memory. */
async function untilAllParked({ url }) {
  if (url) await until(async () => (await countParked(url)) === WAITING, 'been parked');
}

async function memory(server) {
  await delay(SETTLE_MS);
  return server.memory();
}

async function cpuAtRest({ pid }) {
  const before = cpuMs(pid);
  await delay(REST_MS);
  return ((cpuMs(pid) - before) / REST_MS) * 100;
}
