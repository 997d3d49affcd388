/**
 * Measures what traces cost agent runs, and fails if a tenth of them costs more than
 * `LIMIT_PERCENT`:
 *
 *   npm run bench:tracing -- [--store file,postgres,embedded] [--rounds 6] [--seconds 5]
 *
 * Servers that differ in their variables are loaded in turns: without OpenTelemetry, with a sampler
 * that takes nothing, a tenth, everything. The cost is the median over the rounds of the server's
 * CPU time per run, by that of the first in the same round, which holds on a busy machine, too.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { load, warmUp } from './closed-load.mjs';
import { describeMachine } from './machine.mjs';
import { startClient, startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore } from './stores.mjs';

const UNBUNDLED = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const LIMIT_PERCENT = 3;
/** Whole agent runs (model, tool, model, 20 deltas), 16 at once. */
const LOAD = { kind: 'closed', model: 'agent-20', at_once: 16 };
const SAMPLERS = {
  'without OpenTelemetry': undefined,
  'no trace': { OTEL_TRACES_SAMPLER: 'always_off' },
  'a tenth': { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
  'every trace': { OTEL_TRACES_SAMPLER: 'always_on' },
};

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'file' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
    /** A folder for a CPU profile of each server, which then is not the bundle. */
    profiles: { type: 'string' },
  },
});

console.log(`${describeMachine()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
const collector = await startHelper('collector.mjs', { pin: 'rest' });
const client = await startClient({ pin: 'rest' });
try {
  for (const kind of values.store.split(',')) await compare(kind);
} finally {
  await Promise.all([model, collector, client].map((child) => child.stop()));
}

async function compare(kind) {
  const servers = [];
  try {
    for (const [name, env] of Object.entries(SAMPLERS)) servers.push(await open(kind, name, env));
    for (const { target } of servers) await warmUp({ client }, { ...LOAD, ...target });
    for (let round = 0; round < Number(values.rounds); round++)
      for (const one of round % 2 === 0 ? servers : servers.toReversed())
        one.cpu_ms.push(await measure(one));
    const [first, ...others] = servers;
    console.log(`${kind}: ${median(first.cpu_ms).toFixed(2)} ms CPU per run ${first.name}`);
    for (const other of others) {
      const cost = median(other.cpu_ms.map((each, n) => (each / first.cpu_ms[n] - 1) * 100));
      console.log(`${kind}, ${other.name}: ${cost.toFixed(1)} % more`);
      if (other.name === 'a tenth' && cost > LIMIT_PERCENT) process.exitCode = 1;
    }
  } finally {
    for (const { server, store } of servers) {
      await server.stop();
      await store.remove();
    }
  }
}

async function open(kind, name, sampler) {
  const store = await openStore(kind);
  const endpoint = `http://127.0.0.1:${collector.port}`;
  const server = await startServer({
    ...{ command: productionCommand(values.profiles && UNBUNDLED), store, model },
    env: sampler && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...sampler },
    profile: values.profiles && `${values.profiles}/${name.replaceAll(' ', '-')}.cpuprofile`,
  });
  return { name, store, server, target: { port: server.port, pid: server.pid }, cpu_ms: [] };
}

async function measure({ target }) {
  const job = { ...LOAD, ...target, seconds: Number(values.seconds) };
  const { answers, failed, cpu_ms } = await load({ client }, job);
  if (failed > 0) throw new Error(`${failed} runs failed.`);
  return cpu_ms / answers;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2;
}
