import { runStoreSuites } from './run-suites.js';
import { PGLITE } from './stores.js';

// More than 20 s: every suite that depends on the store, each over HTTP.
runStoreSuites(PGLITE);
