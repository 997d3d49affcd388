import { ALL } from '../support/thoroughness.js';
import { runPostgresSuites, runSuites } from './run-suites.js';
import { POSTGRES } from './stores.js';
import { PROCESS_SUITES } from './suites.js';

// More than 20 s: several processes. With `TEST_ALL=1` also what one server saves on Postgres.
if (ALL) runPostgresSuites();
runSuites(POSTGRES, PROCESS_SUITES);
