import { EXHAUSTIVE } from '../support/thoroughness.js';
import { Servers } from './servers.js';
import { BUILT, POSTGRES } from './stores.js';
import type { StoreKind } from './stores.js';
import {
  BUILT_SUITES,
  CLUSTER_SUITES,
  OTHER_SUITES,
  SAVING_SUITES,
  STORE_SUITES,
} from './suites.js';
import type { Suites } from './suites.js';

const EVERY: Suites = { ...STORE_SUITES, ...SAVING_SUITES, ...OTHER_SUITES };

export function runSuites(store: StoreKind, suites: Suites): void {
  const servers = new Servers(store);
  for (const [name, describeSuite] of Object.entries(suites))
    describe(name, () => describeSuite(servers));
  afterAll(() => servers.stop());
}

/** Those of one spec file of several that together run all suites. */
export function runPart(store: StoreKind, part: number, parts: number): void {
  const own = Object.entries(EVERY).filter((_, n) => n % parts === part - 1);
  runSuites(store, Object.fromEntries(own));
}

/** Those that depend on the store; all with `EXHAUSTIVE=1`. */
export function runStoreSuites(store: StoreKind): void {
  run(store, EXHAUSTIVE ? EVERY : STORE_SUITES);
}

/**
 * Those that depend on the store or on what a server saved, without those that the cluster runs,
 * which is on Postgres too; all with `EXHAUSTIVE=1`.
 */
export function runPostgresSuites(): void {
  const own = Object.entries({ ...STORE_SUITES, ...SAVING_SUITES }).filter(
    ([name]) => !CLUSTER_SUITES.includes(name),
  );
  run(POSTGRES, EXHAUSTIVE ? EVERY : Object.fromEntries(own));
}

/** Those that several processes may have a part in; with `EXHAUSTIVE=1` all others too. */
export function runClusterSuites(store: StoreKind, except: Readonly<Record<string, string>>): void {
  const names = Object.keys(EVERY).filter((name) => EXHAUSTIVE || CLUSTER_SUITES.includes(name));
  const own = names.filter((name) => !(name in except)).map((name) => [name, EVERY[name]!]);
  run(store, Object.fromEntries(own));
}

/** Those that see only what clients see, of the program that users start. */
export function runBuiltSuites(): void {
  run(BUILT, Object.fromEntries(BUILT_SUITES.map((name) => [name, EVERY[name]!])));
}

function run(store: StoreKind, suites: Suites): void {
  runSuites(store, suites);
  const left = Object.keys(EVERY).filter((name) => !(name in suites));
  if (left.length > 0)
    process.stderr.write(`Left out on ${store.name}, see AGENTS.md: ${left.join(', ')}\n`);
}
