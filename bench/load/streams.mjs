import { countAtRest, countWork, cpuPer, perInteraction, readCpu, readRss } from './counts.mjs';
import { withCluster } from './cluster.mjs';

const SHARES = [0.05, 0.2, 0.5, 1];
const INTERVAL_MS = 200;
/** New streams come at the same pace, however many there will be. */
const RAMP_MS_EACH = 8;
const WINDOW_MS = 10_000;
const MARGIN_MS = 3_000;
const WARM_UP = { kind: 'closed', model: 'flat-200', at_once: 32, seconds: 5 };

/**
 * So many streams at once, of 5 deltas a second each, after their start at a steady pace: a curve
 * of some steps. Answers with a row of figures for each, and what the processes do at rest. All
 * streams are equally long, so that all interactions are the same.
 */
export async function streams(bench, { topology, streams: most, profile }) {
  return withCluster(bench, { topology, profile }, async (cluster) => {
    await bench.client.run({ ...WARM_UP, ports: cluster.ports });
    const { now, rest } = await countAtRest(cluster);
    const rows = {};
    let before = now;
    for (const count of SHARES.map((share) => Math.ceil(most * share))) {
      const figures = await measure(bench, { cluster, count, most });
      const after = await countWork(cluster);
      rows[count] = { ...figures, ...perInteraction({ before, after, rest }, count) };
      before = after;
    }
    return { rows, rest };
  });
}

async function measure({ client }, { cluster, count, most }) {
  const stream_ms = most * RAMP_MS_EACH + WINDOW_MS + MARGIN_MS;
  client.send({
    kind: 'paced',
    streams: count,
    ramp_ms: count * RAMP_MS_EACH,
    window_ms: WINDOW_MS,
    model: `paced-${INTERVAL_MS}-${stream_ms}`,
    ports: cluster.ports,
  });
  await client.message();
  const before = await readCpu(cluster);
  await client.message();
  const after = await readCpu(cluster);
  const rss = readRss(cluster);
  const { carried, lateness_ms, first_delta_ms, seconds, failed } = await client.message();
  const due = (count * seconds * 1000) / INTERVAL_MS;
  return {
    first_p50_ms: first_delta_ms.p50,
    first_p95_ms: first_delta_ms.p95,
    first_p99_ms: first_delta_ms.p99,
    late_p50_ms: lateness_ms.p50,
    late_p95_ms: lateness_ms.p95,
    late_p99_ms: lateness_ms.p99,
    carried_percent: (carried / due) * 100,
    cpu_percent: (after.all - before.all) / seconds / 10,
    ...cpuPer(carried / 1000, { before, after }),
    ...rss,
    failed,
  };
}
