import fc from 'fast-check';
import { Run } from '../../src/runs/run.js';
import { random } from '../support/random.js';
import { findFaults } from './replay/find-faults.js';
import type { Fate } from './replay/life.js';
import { programs } from './replay/program.js';
import type { Program } from './replay/program.js';
import { ReplayWorld } from './replay/replay-world.js';
import { EXHAUSTIVE, runs } from '../support/thoroughness.js';

/** How many of the moments of one program a process is killed at, spread evenly. */
const MOMENTS = 24;

/**
 * The same programs each time. To look for more: another seed, or none, and larger numbers. A
 * failure prints its seed and program.
 */
const SEED = 20_260_115;

const fates: fc.Arbitrary<Fate[]> = fc.array(
  fc.record({
    death: fc.constantFrom('kill', 'kill', 'kill', 'shutdown', 'zombie'),
    after: fc.nat(24),
  }),
  { maxLength: 6 },
);

async function played(
  program: Program,
  seed: number,
  { deaths = [], hooked = false }: { deaths?: Fate[]; hooked?: boolean } = {},
): Promise<ReplayWorld> {
  const world = await ReplayWorld.open(program, random(seed), { hooked });
  await world.play(deaths);
  expect(await findFaults(world)).toEqual([]);
  return world;
}

/** What either world has in its log, the other has seen no otherwise. */
function differences(a: ReplayWorld, b: ReplayWorld, shared: string): string[] {
  return [...a.seen].flatMap(([place, outcome]) => {
    const other = b.seen.get(place);
    const isShared = outcome.includes('#') && shared.includes(JSON.stringify(outcome));
    return isShared && other !== undefined && other !== outcome
      ? [`${place}: ${outcome}, and when it was killed: ${other}`]
      : [];
  });
}

describe(Run.name, () => {
  it('takes up any program after any deaths, and every step comes to what it came to first (I3, I4, I6, I8)', async () => {
    const property = fc.asyncProperty(programs, fates, fc.nat(), async (program, deaths, seed) => {
      await played(program, seed, { deaths });
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: runs(500),
    });
  });

  it('calls hooks in the same order whenever a program is run again, with resources that it has then (I4)', async () => {
    const property = fc.asyncProperty(programs, fates, fc.nat(), async (program, deaths, seed) => {
      const { made, lives } = await played(program, seed, { deaths, hooked: true });
      expect(made.length).toBeGreaterThanOrEqual(Math.min(lives, 1));
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: runs(500),
    });
  });

  it('does so with conversations that are cut, too', async () => {
    let summaries = 0;
    const property = fc.asyncProperty(programs, fates, fc.nat(), async (program, deaths, seed) => {
      const world = await ReplayWorld.open(program, random(seed), { crowded: true });
      await world.play(deaths);
      expect(await findFaults(world)).toEqual([]);
      summaries += world.summaries;
    });
    await fc.assert(property, { seed: SEED, numRuns: EXHAUSTIVE ? 150 : 60 }); // as many on a busy machine: they have to come to summaries
    expect(summaries).toBeGreaterThan(runs(5));
  });

  it('takes up any program after a kill at every moment of it, and it comes to what it came to without (I3, I4)', async () => {
    const property = fc.asyncProperty(programs, fc.nat(), async (program, seed) => {
      const whole = await played(program, seed);
      const stride = Math.max(1, Math.ceil(whole.moments / MOMENTS));
      for (let after = seed % stride; after < whole.moments; after += stride) {
        const killed = await played(program, seed, { deaths: [{ death: 'kill', after }] });
        expect(differences(whole, killed, killed.textAtDeath)).toEqual([]);
      }
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: runs(60),
    });
  });
});
