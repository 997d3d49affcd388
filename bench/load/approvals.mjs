import { setTimeout as delay } from 'node:timers/promises';
import { askAboutCalls, readInbox, until } from '../inbox.mjs';
import { summarise } from '../percentiles.mjs';
import { countParked } from '../stores.mjs';
import { withCluster } from './cluster.mjs';
import { readCpu, readHeap, readRss } from './counts.mjs';

const APPROVED = 200;
/**
 * As few as may run at once, nearly all of those that wait must have been parked before the last
 * can ask.
 */
const ENV = { PARK_AFTER_MS: '200', MAX_CONCURRENT_RUNS: '256' };
const WARM_UP = { kind: 'closed', model: 'agent-20', at_once: 16, seconds: 5 };
const LEAVE = { kind: 'leave', model: 'agent-20', at_once: 16 };
const APPROVE = { kind: 'approve', at_once: 16 };
const SETTLE_MS = 2_000;
const REST_MS = 5_000;

/**
 * So many interactions wait for a person: what they cost, how fast the inbox is, and how soon 200
 * of them have gone on to their end.
 */
export async function approvals(bench, { topology, approvals: waiting, profile }) {
  return withCluster(bench, { topology, env: ENV, profile }, async (cluster) => {
    const [port] = cluster.ports;
    await bench.client.run({ ...WARM_UP, ports: cluster.ports });
    await askAboutCalls(port);
    const before = await readMemory(cluster);
    const left = await bench.client.run({ ...LEAVE, ports: cluster.ports, interactions: waiting });
    await until(async () => (await countParked(cluster.store.url)) === waiting, 'been parked');
    const after = await readMemory(cluster);
    const rest_cpu_percent = await cpuAtRest(cluster);
    const pages = [];
    const requests = await readInbox(port, { onPage: (time) => pages.push(time) });
    const approved = await approve(bench, { cluster, requests: requests.slice(0, APPROVED) });
    const inbox = summarise(pages);
    return {
      waiting: requests.length,
      starts_per_s: (waiting - left.failed) / left.seconds,
      heap_before_mb: before.heap,
      heap_more_mb: after.heap - before.heap,
      ...after.rss,
      rest_cpu_percent,
      page_p50_ms: inbox.p50,
      page_p95_ms: inbox.p95,
      page_max_ms: inbox.max,
      ...approved,
      failed: left.failed + approved.failed,
    };
  });
}

async function approve({ client }, { cluster, requests }) {
  const before = await readCpu(cluster);
  const job = { ...APPROVE, ports: cluster.ports, requests };
  const { whole_ms, seconds, failed } = await client.run(job);
  const after = await readCpu(cluster);
  return {
    approvals_per_s: (requests.length - failed) / seconds,
    approved_p50_ms: whole_ms.p50,
    approved_p95_ms: whole_ms.p95,
    approved_p99_ms: whole_ms.p99,
    cpu_ms_per_approval: (after.all - before.all) / requests.length,
    failed,
  };
}

async function readMemory(cluster) {
  await delay(SETTLE_MS);
  return { heap: await readHeap(cluster), rss: readRss(cluster) };
}

async function cpuAtRest(cluster) {
  const before = await readCpu(cluster);
  await delay(REST_MS);
  const after = await readCpu(cluster);
  return ((after.all - before.all) / REST_MS) * 100;
}
