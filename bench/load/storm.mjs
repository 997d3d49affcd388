import { setTimeout as delay } from 'node:timers/promises';
import { withCluster } from './cluster.mjs';
import { cpuPer, readCpu, readRss } from './counts.mjs';

const INTERVAL_MS = 200;
const RAMP_MS_EACH = 8;
const STORMS = 3;
/** Without a reader. */
const AWAY_MS = 1_000;
const BETWEEN_MS = 2_000;
/**
 * The interactions are so long that all may take that, each time, and still come back to one that
 * runs.
 */
const CATCH_UP_MS = 10_000;
const WARM_UP = { kind: 'closed', model: 'flat-200', at_once: 32, seconds: 5 };

/**
 * So many readers of running interactions lose their connection at once and come back at once, to
 * another process if there is one, three times. They check that they are sent everything once, in
 * order (I2).
 */
export async function storm(bench, { topology, readers, profile }) {
  return withCluster(bench, { topology, profile }, async ({ ports, ...rest }) => {
    const run = (kind, job) => bench.client.run({ kind, ports, ...job });
    await bench.client.run({ ...WARM_UP, ports });
    const ramp_ms = readers * RAMP_MS_EACH;
    const stream_ms = ramp_ms + STORMS * (AWAY_MS + BETWEEN_MS + CATCH_UP_MS);
    const model = `paced-${INTERVAL_MS}-${stream_ms}`;
    await run('watch', { streams: readers, ramp_ms, model });
    const storms = [];
    for (let i = 0; i < STORMS; i++) storms.push(await once(run, { ports, ...rest }));
    const { completed, characters, retries, faults } = await run('finish', {});
    if (faults.length > 0) process.exitCode = 1;
    for (const fault of faults) console.error(`storm, ${topology}: a reader's ${fault}`);
    return {
      ...medians(storms),
      worst_ms: Math.max(...storms.map(({ all_ms }) => all_ms)),
      cpu_ms_per_reader: middle(storms.map(({ cpu_ms }) => cpu_ms)) / readers,
      characters,
      retries,
      completed,
      faults: faults.length,
    };
  });
}

async function once(run, cluster) {
  await delay(BETWEEN_MS);
  await run('drop', {});
  await delay(AWAY_MS);
  const before = await readCpu(cluster);
  const { caught_up_ms, came_back } = await run('back', { interval_ms: INTERVAL_MS });
  const after = await readCpu(cluster);
  const { p50, p95, p99, max } = caught_up_ms;
  const { cpu_ms } = cpuPer(1, { before, after });
  const figures = { caught_up_p50_ms: p50, caught_up_p95_ms: p95, caught_up_p99_ms: p99 };
  return { came_back, ...figures, all_ms: max, cpu_ms, ...readRss(cluster) };
}

function medians(rows) {
  const fields = Object.keys(rows[0]);
  return Object.fromEntries(fields.map((field) => [field, middle(rows.map((row) => row[field]))]));
}

function middle(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
