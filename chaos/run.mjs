/**
 * Kills the built server at instants that a seed decides while clients use all of it, then checks
 * from the outside that every promise was kept:
 *
 *   npm run chaos -- [--kills 100] [--seed 1] [--store postgres|embedded|file]
 *     [--minutes 20] [--chats 10] [--keep]
 *   npm run chaos -- --cluster [--redis redis://127.0.0.1:6379/6] …
 *   npm run chaos -- --short …
 *
 * Prints what happened and every violation; ends with 1 if there is one. `--keep` leaves the
 * servers' logs and what they saved in place, as a violation does.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child } from '../bench/child.mjs';
import { openStore, removeStores } from '../bench/stores.mjs';
import { findViolations } from './checks/find-violations.mjs';
import { Fleet } from './fleet.mjs';
import { Killer } from './killer.mjs';
import { readOptions } from './options.mjs';
import { collect } from './outcome.mjs';
import { Random } from './random.mjs';
import { SharedRedis } from './redis.mjs';
import { report } from './report.mjs';
import { Tail } from './tail.mjs';
import { Thefts } from './thefts.mjs';
import { keepTalking } from './workload/chat.mjs';
import { settleRequests } from './workload/people.mjs';
import { setRules } from './workload/rules.mjs';
import { watchChats } from './workload/watch-chats.mjs';
import { World } from './world.mjs';

const MODEL = fileURLToPath(new URL('model/main.mjs', import.meta.url));
const ROLES = { postgres: ['all', 'all'], embedded: ['all'], file: ['all'] };
const CLUSTER = ['api', 'api', 'worker', 'worker'];
const PEOPLE = 2;
/** What may take so long when nobody is killed any more, and meanwhile adds no record, is stuck. */
const QUIET_MS = 180_000;
/** Jobs of a killed process are its own for 5 s, and looked at as often. */
const REDIS_QUIET_MS = 20_000;

const options = readOptions();
const random = new Random(options.seed);
const folder = await mkdtemp(join(tmpdir(), 'parley-chaos-'));
const effects = join(folder, 'effects.jsonl');
await writeFile(effects, '');
const redis = options.cluster ? await SharedRedis.open(options.redis) : undefined;
const store = await openStore(options.store);
const model = new Child(options.short ? [MODEL, '--slow'] : [MODEL]);
Object.assign(model, await model.message());
const roles = options.cluster ? CLUSTER : ROLES[options.store];
const fleet = new Fleet({ roles, store, redis: redis?.url, model, effects, folder });
const world = new World(fleet);
const tail = new Tail();
await tail.follow(effects);
const thefts = store.url && new Thefts(store.url);
const killer = new Killer({
  fleet,
  tail,
  thefts,
  redis,
  random: random.fork('killer'),
  short: options.short,
});

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stopAtOnce());

const begun = performance.now();
let failed = true;
try {
  const outcome = await live();
  await keep(outcome);
  const found = [...fleet.odd_ends, ...findViolations(world, outcome)];
  failed = found.length > 0;
  const seconds = (performance.now() - begun) / 1000;
  console.log(report({ options, killer, world, seconds, outcome, found }));
  if (failed || options.keep)
    console.log(
      `The servers' logs, the tools' effects and all that was seen are in ${folder}, what the servers saved is in ${store.url ?? store.env.DATA_DIR}`,
    );
  else await rm(folder, { recursive: true });
} finally {
  await fleet.killAll();
  await thefts?.close();
  await redis?.close();
  await model.stop();
  if (!failed && !options.keep) await store.remove();
}
process.exit(failed ? 1 : 0);

async function live() {
  await fleet.start(0);
  await setRules(world, random.fork('rules'));
  await fleet.startAll();
  const talks = Array.from({ length: options.chats }, (_, n) =>
    keepTalking(world, random.fork(`chat/${n}`)).catch((error) => world.fault(error.message)),
  );
  for (let n = 0; n < PEOPLE; n++) void settleRequests(world, random.fork(`person/${n}`));
  void watchChats(world, random.fork('watch'));
  await killer.run(options.kills, begun + options.minutes * 60_000);
  world.isClosing = true;
  await untilQuiet(Promise.all(talks));
  world.isOver = true;
  const outcome = await collect(world, random, effects);
  model.send('report');
  outcome.model = await model.message();
  await redis?.leftovers(REDIS_QUIET_MS);
  await fleet.stopAll();
  outcome.leftovers = (await redis?.leftovers(0)) ?? [];
  outcome.unfenced = (await thefts?.findFaults()) ?? [];
  const { moments: losses, outages } = killer;
  Object.assign(outcome, { pauses: fleet.pauses, stops: fleet.stops, losses, outages });
  return outcome;
}

/** Resolves when all talks are over, or when nothing new comes any more. */
async function untilQuiet(talks) {
  for (let known = -1; known < world.received;) {
    known = world.received;
    const isOver = await Promise.race([talks.then(() => true), delay(QUIET_MS)]);
    if (isOver) return;
  }
}

/** For whoever looks for the reason. */
async function keep(outcome) {
  const { decisions, answers, cancels } = world;
  const plans = [...world.plans.values()].map((plan) => ({ ...plan, ids: [...plan.ids] }));
  const [chats, logs, agents] = [outcome.chats, outcome.logs, outcome.agents].map((map) => [
    ...map,
  ]);
  const all = { ...outcome, chats, logs, agents, texts: undefined };
  const told = { plans, decisions, answers, cancels };
  await writeFile(join(folder, 'outcome.json'), JSON.stringify({ ...all, ...told }));
}

async function stopAtOnce() {
  await Promise.allSettled([removeStores(), redis?.close()]);
  process.exit(1);
}
