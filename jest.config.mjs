import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Left out of `npm test`. */
const SLOW = '.slow-spec.ts';
const runsAll = process.env.TEST_ALL === '1';
if (!runsAll && isWholeRun()) printLeftOut();

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
  testEnvironment: '<rootDir>/test/spec.environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^parley/client$': '<rootDir>/client/index.ts',
  },
  transform,
  testMatch: [
    '<rootDir>/{src,terminal,web/src}/**/*.spec.ts',
    '<rootDir>/test/**/*.{spec,contract-spec,e2e-spec,fault-spec}.ts',
    ...(runsAll ? [`<rootDir>/{src,test}/**/*${SLOW}`] : []),
  ],
  // Only for a test that hangs: a busy machine may take many times as long.
  testTimeout: 240_000,
  // A worker that has grown, by module graphs and embedded databases, slows down what it runs next.
  workerIdleMemoryLimit: '1GB',
  // A worker on a busy machine needs longer than 500 ms to exit, and would be taken for one that leaks.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/slow-first.sequencer.mjs',
  maxWorkers: availableParallelism(),
};

// False if the command line names what to run, such as a path, and for programs that only read this.
// Numbers are values of options.
function isWholeRun() {
  const [, program, ...words] = process.argv;
  return program.includes('jest') && words.every((word) => /^(?:-|\d+%?$)/.test(word));
}

function printLeftOut() {
  const slow = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(SLOW))
      .map((path) => `${folder}/${path}`),
  );
  process.stderr.write(`Left out, run by npm run verify: ${slow.join(', ')}\n`);
}
