/**
 * Loads one process, and several with roles and Redis, with the same work in the same run, and
 * reports what that takes:
 *
 *   npm run load -- [--quick] [--help]
 *
 * Prints tables in Markdown, and writes them to `bench/results/load.md` and all figures to
 * `bench/results/load.json`. Nothing is pinned: server processes, Postgres, Redis, model and
 * clients share all cores. Needs Postgres and Redis, of which it takes database 7.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeComputer } from './machine.mjs';
import { startClient, startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { removeStores } from './stores.mjs';
import { stopChildren } from './child.mjs';
import { approvals } from './load/approvals.mjs';
import { conversations } from './load/conversations.mjs';
import { readOptions } from './load/options.mjs';
import { flushRedis } from './load/redis.mjs';
import { storm } from './load/storm.mjs';
import { streams } from './load/streams.mjs';
import { TABLES_OF } from './load/tables.mjs';

const RESULTS = join(dirname(fileURLToPath(import.meta.url)), 'results');
/** However slow the machine is. */
const LIMIT_MS = 40 * 60_000;
const SCENARIOS = { streams, approvals, storm, conversations };

const options = readOptions(Object.keys(SCENARIOS));
await mkdir(RESULTS, { recursive: true });
let isStopping = false;
setTimeout(() => void stopAtOnce('The load took too long.'), LIMIT_MS).unref();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stopAtOnce('Stopped.'));

const machine = describeComputer();
const model = await startHelper('fake-model.mjs');
const client = await startClient();
try {
  console.log(`${machine}\n`);
  const results = {};
  for (const scenario of options.scenarios) {
    results[scenario] = {};
    await measure(scenario, results);
    console.log(`${tablesOf(scenario, results[scenario])}\n`);
  }
} catch (error) {
  if (isStopping) await new Promise(() => {}); // who stops it ends the process
  throw error;
} finally {
  await Promise.all([model, client].map((child) => child.stop()));
}

/**
 * Each arrangement in turn, so that both meet the same machine; what there is by then is written
 * after each.
 */
async function measure(scenario, results) {
  for (const topology of options.topologies) {
    process.stderr.write(`${scenario}, ${topology} …\n`);
    const bench = { command: productionCommand(), model, client };
    const profile = options.profile
      ? (role, i) => profilePath([scenario, topology, role, i])
      : undefined;
    results[scenario][topology] = await SCENARIOS[scenario](bench, {
      ...options,
      topology,
      profile,
    });
    await write(results);
  }
}

function profilePath(parts) {
  return join(RESULTS, `load-${parts.join('-')}.cpuprofile`);
}

function tablesOf(scenario, figures) {
  return TABLES_OF[scenario](figures).join('\n\n');
}

async function write(results) {
  const tables = Object.entries(results).map(([name, figures]) => tablesOf(name, figures));
  await writeFile(join(RESULTS, 'load.md'), `${[machine, ...tables].join('\n\n')}\n`);
  const all = { at: new Date().toISOString(), machine, results };
  await writeFile(join(RESULTS, 'load.json'), `${JSON.stringify(all, null, 2)}\n`);
}

async function stopAtOnce(reason) {
  if (isStopping) return;
  isStopping = true;
  console.error(reason);
  await stopChildren();
  await Promise.all([removeStores(), flushRedis()]).catch((error) => console.error(error));
  process.exit(1);
}
