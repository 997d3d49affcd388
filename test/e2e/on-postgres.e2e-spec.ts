import { runStoreSuites, runSuites } from './run-suites.js';
import { POSTGRES } from './stores.js';
import { PROCESS_SUITES } from './suites.js';

// More than 20 s: several processes. With `TEST_ALL=1` also what depends on the store, which
// `npm test` runs on the embedded database: it has the same SQL.
if (process.env['TEST_ALL'] === '1') runStoreSuites(POSTGRES);
runSuites(POSTGRES, PROCESS_SUITES);
