import { runAllBut } from './run-suites.js';
import { clusterStore } from './stores.js';

// Minutes: almost all suites, against two API processes and two workers on Postgres and Redis.
runAllBut(clusterStore(), {
  metrics: 'each process counts for itself',
  slots: 'is about how many runs one process has room for',
});
