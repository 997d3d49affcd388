import { availableParallelism } from 'node:os';

const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
      module: { type: 'es6' },
    },
  ],
};

export default {
  rootDir: '.',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/test/**/*.{spec,contract-spec,e2e-spec,fault-spec}.ts',
  ],
  testTimeout: 60_000,
  // A worker that has grown, by module graphs and embedded databases, slows down what it runs next.
  workerIdleMemoryLimit: '1GB',
  // Embedded databases need memory each.
  maxWorkers: Math.min(availableParallelism(), 4),
};
