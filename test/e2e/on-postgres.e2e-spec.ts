import { ALL } from '../support/thoroughness.js';
import { runStoreSuites, runSuites } from './run-suites.js';
import { POSTGRES } from './stores.js';
import { PROCESS_SUITES } from './suites.js';

// More than 20 s: several processes. With `TEST_ALL=1` also what depends on the store, which
// `npm test` runs on the embedded database: it has the same SQL.
if (ALL) runStoreSuites(POSTGRES);
runSuites(POSTGRES, PROCESS_SUITES);
