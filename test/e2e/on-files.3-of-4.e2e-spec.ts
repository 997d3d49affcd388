import { runPart } from './run-suites.js';
import { FILES } from './stores.js';

// More than 20 s: a quarter of all suites, each over HTTP.
runPart(FILES, 3, 4);
