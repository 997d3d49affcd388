import config from './jest.config.mjs';

/** What can't be so on a cluster, and why. */
const EXCEPTIONS = {
  metrics: 'each process counts for itself',
  slots: 'is about how many runs one process has room for',
  // Several processes anyway, of the test's own making.
  'readers-that-move': 'is a cluster',
  roles: 'is a cluster',
  'two-processes': 'is a cluster',
};

/** The suites of `test/e2e`, for two API processes and two workers: with `E2E_CLUSTER=1` that is what they meet. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'],
  testPathIgnorePatterns: Object.keys(EXCEPTIONS).map(
    (name) => `/test/e2e/${name}\\.e2e-spec\\.ts$`,
  ),
};
