import { runBuiltSuites } from './run-suites.js';

// A minute: what is tested is what is shipped.
runBuiltSuites();
