import { Servers } from './servers.js';
import type { StoreKind } from './stores.js';
import { OTHER_SUITES, STORE_SUITES } from './suites.js';
import type { Suites } from './suites.js';

const ALL: Suites = { ...STORE_SUITES, ...OTHER_SUITES };

export function runSuites(store: StoreKind, suites: Suites): void {
  const servers = new Servers(store);
  for (const [name, describeSuite] of Object.entries(suites))
    describe(name, () => describeSuite(servers));
  afterAll(() => servers.stop());
}

/** Those of one spec file of several that together run all suites. */
export function runPart(store: StoreKind, part: number, parts: number): void {
  const own = Object.entries(ALL).filter((_, n) => n % parts === part - 1);
  runSuites(store, Object.fromEntries(own));
}

/** Those that depend on the store, and with `TEST_ALL=1` all others too. */
export function runStoreSuites(store: StoreKind): void {
  const runsAll = process.env['TEST_ALL'] === '1';
  runSuites(store, runsAll ? ALL : STORE_SUITES);
  if (runsAll) return;
  const names = Object.keys(OTHER_SUITES).join(', ');
  process.stderr.write(`Left out on ${store.name}, run by npm run test:all: ${names}\n`);
}

/** All but those with a reason not to. */
export function runAllBut(store: StoreKind, exceptions: Readonly<Record<string, string>>): void {
  const names = Object.keys(exceptions);
  const others = Object.entries(ALL).filter(([name]) => !names.includes(name));
  runSuites(store, Object.fromEntries(others));
}
