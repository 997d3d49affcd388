import { burstCases } from './burst-cases.js';
import { CpuWorld, FAULT } from './cpu-world.js';
import { facadeCases, facadeReads } from './facade-cases.js';
import { declarationCases, resultCases } from './mcp-cases.js';
import { modelCases } from './model-cases.js';
import { fieldCases, parameterCases } from './request-cases.js';
import { pathCases, patternCases, ruleCases } from './rule-cases.js';
import { argumentCases, clientToolCases, fileCases } from './tool-cases.js';
import { sampleOf } from './sample-of.js';
import { importCases, uploadCases } from './upload-cases.js';
import { some } from '../support/thoroughness.js';

// Takes minutes: thousands of requests and answers of 1 MiB.

/** A test that hangs: a busy machine makes the cases take many times as long. */
const TIMEOUT_MS = 1_800_000;

if (FAULT !== undefined) process.stderr.write(`Skipped, the CPU budget: ${FAULT}\n`);

(FAULT === undefined ? describe : describe.skip)('The main thread, whatever comes', () => {
  let world: CpuWorld;
  beforeAll(async () => void (world = await CpuWorld.start()));
  afterAll(() => world?.stop());

  it.each([
    ['fields of bodies', () => some(fieldCases(), 1_500)],
    ['parameters', () => some(parameterCases(), 700)],
    ['answers of models', () => some(modelCases(), 200)],
    ['calls of tools of clients', () => clientToolCases()],
    ['files that tools work with', () => some(fileCases(), 60)],
    ['results of MCP servers', () => sampleOf(resultCases(), 50)],
    ['declarations of MCP servers', () => sampleOf(declarationCases(), 30)],
    ['rules', () => some(ruleCases(), 20)],
    ['paths that rules judge', () => pathCases()],
    ['patterns of rules', () => some(patternCases(), 40)],
    ['uploads', () => some(uploadCases(), 80)],
    ['imports', () => some(importCases(), 100)],
    ['bodies of façades', () => some(facadeCases(), 80)],
    ['many requests at once', () => burstCases()],
    ['reads by façades', () => facadeReads()],
  ] as const)(
    'takes no longer than the budget for %s',
    async (_, cases) => expect(await world.tooSlow(cases())).toEqual([]),
    TIMEOUT_MS,
  );

  it(
    'takes no longer than the budget for arguments of tools',
    async () => {
      expect(await world.tooSlow(sampleOf(await argumentCases(world), 100))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
