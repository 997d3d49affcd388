import { runStoreSuites, runSuites } from './run-suites.js';
import { POSTGRES } from './stores.js';
import { PROCESS_SUITES } from './suites.js';

// More than 20 s: every suite that depends on the store, each over HTTP.
runStoreSuites(POSTGRES);
runSuites(POSTGRES, PROCESS_SUITES);
