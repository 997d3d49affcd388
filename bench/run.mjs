/**
 * Measures the built server against a fake model on loopback, next to a bare proxy in the same run:
 *
 *   npm run bench -- [--only flat,paced,runs,writes,start,python,parked,idle]
 *     [--store embedded,postgres,file] [--profile] [--server path/to/main.js]
 *
 * Prints tables and writes `bench/results/latest.json`. With `--profile` the server writes a CPU
 * profile per scenario beside it, and is not the bundle, in which all packages are one file.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from './machine.mjs';
import { startClient, startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { toTable } from './report.mjs';
import { flat } from './scenarios/flat.mjs';
import { idle } from './scenarios/idle.mjs';
import { paced } from './scenarios/paced.mjs';
import { parked } from './scenarios/parked.mjs';
import { python } from './scenarios/python.mjs';
import { runs } from './scenarios/runs.mjs';
import { start } from './scenarios/start.mjs';
import { writes } from './scenarios/writes.mjs';
import { startServer } from './server.mjs';
import { openStore, removeStores, STORES } from './stores.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const UNBUNDLED = join(HERE, '../dist/src/main.js');
const RESULTS = join(HERE, 'results');
/** However slow the machine is. */
const LIMIT_MS = 15 * 60_000;
/** In this order: `idle` leaves interactions behind that the next start would take up. */
const SCENARIOS = { flat, paced, runs, writes, start, python, parked, idle };
const WITH_PROXY = ['flat', 'paced'];
const STARTS_ITS_OWN = ['start', 'writes', 'python', 'parked'];

const options = readOptions();
await mkdir(RESULTS, { recursive: true });
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
const client = await startClient({ pin: 'rest' });
const proxy = await startHelper('proxy.mjs', { pin: 'server', args: [String(model.port)] });
const bench = {
  command: options.command,
  model,
  client,
  proxy: { port: proxy.port, pid: proxy.pid, is_proxy: true },
};
const results = {};

setTimeout(() => void stopAtOnce('The benchmark took too long.'), LIMIT_MS).unref();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stopAtOnce());

console.log(`${describeMachine()}\n`);
try {
  await measureProxy();
  for (const kind of options.stores) await measureStore(kind);
  for (const [scenario, figures] of Object.entries(results))
    if (Object.keys(figures).length > 0) console.log(`${toTable(scenario, figures)}\n`);
  const path = join(RESULTS, 'latest.json');
  const machine = describeMachine();
  await writeFile(
    path,
    `${JSON.stringify({ at: new Date().toISOString(), machine, results }, null, 2)}\n`,
  );
} finally {
  await Promise.all([model, client, proxy].map((child) => child.stop()));
}

async function measureProxy() {
  for (const scenario of options.scenarios.filter((name) => WITH_PROXY.includes(name)))
    await measure(scenario, { name: 'bare proxy', target: bench.proxy });
}

async function measureStore(kind) {
  const store = await openStore(kind).catch((error) => {
    console.log(`Skipped ${kind}: ${error.message || error.code}\n`);
  });
  if (!store) return;
  try {
    const first = await startServer({ ...bench, store, pinned: false });
    await first.stop();
    for (const scenario of options.scenarios) await measureServer(scenario, store);
  } finally {
    await store.remove();
  }
}

async function measureServer(scenario, store) {
  if (scenario === 'writes' && store.kind !== 'postgres') return;
  if (scenario === 'parked' && store.kind === 'file') return;
  if (scenario === 'python' && store.kind !== 'file') return;
  if (STARTS_ITS_OWN.includes(scenario)) return measure(scenario, { name: store.kind, store });
  const profile = options.profile && join(RESULTS, `${scenario}-${store.kind}.cpuprofile`);
  const tellsMemory = scenario === 'idle';
  const server = await startServer({ ...bench, store, profile, tellsMemory });
  try {
    const target = { port: server.port, pid: server.pid, is_proxy: false };
    await measure(scenario, { name: store.kind, target, server });
  } finally {
    await server.stop();
  }
}

async function measure(scenario, { name, ...subject }) {
  process.stderr.write(`${scenario}, ${name} …\n`);
  const figures = await SCENARIOS[scenario](bench, subject);
  results[scenario] = { ...results[scenario], [name]: figures };
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(SCENARIOS).join() },
      store: { type: 'string', default: STORES.join() },
      server: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only.split(',');
  return {
    scenarios: Object.keys(SCENARIOS).filter((name) => wanted.includes(name)),
    stores: STORES.filter((kind) => values.store.split(',').includes(kind)),
    command: productionCommand(values.server ?? (values.profile ? UNBUNDLED : undefined)),
    profile: values.profile,
  };
}

async function stopAtOnce(reason) {
  console.error(reason);
  await removeStores();
  process.exit(1);
}
