/**
 * Measures what encryption at rest costs agent runs, and fails if that is more than
 * `LIMIT_PERCENT`:
 *
 *   npm run bench:encryption -- [--store postgres,file,embedded] [--rounds 6] [--seconds 5]
 *
 * Two servers, one of them encrypted, are loaded in turns: plain, encrypted, encrypted, plain … The
 * cost is the median over the pairs, by the server's CPU time per run, which bounds its throughput
 * and holds on a busy machine, too.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { load, warmUp } from './closed-load.mjs';
import { describeMachine } from './machine.mjs';
import { startClient, startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore } from './stores.mjs';

const LIMIT_PERCENT = 15;
/** Whole agent runs (model, tool, model, 20 deltas), 16 at once. */
const LOAD = { kind: 'closed', model: 'agent-20', at_once: 16 };
const ENCRYPTION_KEYS = `bench:${randomBytes(32).toString('base64')}`;

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres,file' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
  },
});

console.log(`${describeMachine()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
const client = await startClient({ pin: 'rest' });
try {
  for (const kind of values.store.split(',')) await compare(kind);
} finally {
  await Promise.all([model, client].map((child) => child.stop()));
}

async function compare(kind) {
  const plain = await open(kind, {});
  const encrypted = await open(kind, { ENCRYPTION_KEYS });
  try {
    for (const { target } of [plain, encrypted]) await warmUp({ client }, { ...LOAD, ...target });
    for (let round = 0; round < Number(values.rounds); round++)
      for (const one of round % 2 === 0 ? [plain, encrypted] : [encrypted, plain])
        one.figures.push(await measure(one));
    const cost = percent('cpu_ms', { plain, encrypted });
    const slower = -percent('per_s', { plain, encrypted });
    console.log(
      `${kind}: ${at(plain, 'cpu_ms')} ms CPU per run in plain, ${at(encrypted, 'cpu_ms')} ms encrypted: ${cost.toFixed(1)} % more; ` +
        `${at(plain, 'per_s')} and ${at(encrypted, 'per_s')} runs/s: ${slower.toFixed(1)} % fewer`,
    );
    if (cost > LIMIT_PERCENT) process.exitCode = 1;
  } finally {
    for (const { server, store } of [plain, encrypted]) {
      await server.stop();
      await store.remove();
    }
  }
}

async function open(kind, env) {
  const store = await openStore(kind);
  const server = await startServer({ command: productionCommand(), store, model, env });
  return { store, server, target: { port: server.port, pid: server.pid }, figures: [] };
}

async function measure({ target }) {
  const job = { ...LOAD, ...target, seconds: Number(values.seconds) };
  const { answers, failed, seconds, cpu_ms } = await load({ client }, job);
  if (failed > 0) throw new Error(`${failed} runs failed.`);
  return { cpu_ms: cpu_ms / answers, per_s: answers / seconds };
}

/** By how much encrypted is more than plain: the median over the rounds. */
function percent(figure, { plain, encrypted }) {
  return median(
    plain.figures.map((each, n) => (encrypted.figures[n][figure] / each[figure] - 1) * 100),
  );
}

function at({ figures }, figure) {
  return median(figures.map((each) => each[figure])).toFixed(2);
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2;
}
