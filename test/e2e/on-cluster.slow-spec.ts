import { runClusterSuites } from './run-suites.js';
import { clusterStore } from './stores.js';

// Minutes: suites against two API processes and two workers on Postgres and Redis.
runClusterSuites(clusterStore(), {
  metrics: 'each process counts for itself',
  slots: 'is about how many runs one process has room for',
});
