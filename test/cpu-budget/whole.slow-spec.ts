import { CpuWorld, FAULT } from './cpu-world.js';
import { modelCases } from './model-cases.js';
import { fieldCases, parameterCases } from './request-cases.js';
import { some } from '../support/thoroughness.js';

// Takes minutes: thousands of requests and answers of 1 MiB.

if (FAULT !== undefined) process.stderr.write(`Skipped, the CPU budget: ${FAULT}\n`);

(FAULT === undefined ? describe : describe.skip)('The main thread, whatever comes', () => {
  let world: CpuWorld;
  beforeAll(async () => void (world = await CpuWorld.start()), 120_000);
  afterAll(() => world?.stop());

  it.each([
    ['fields of bodies', some(fieldCases(), 1_500)],
    ['parameters', some(parameterCases(), 700)],
    ['answers of models', some(modelCases(), 200)],
  ] as const)(
    'takes no longer than the budget for %s',
    async (_, cases) => expect(await world.tooSlow(cases)).toEqual([]),
    300_000,
  );
});
