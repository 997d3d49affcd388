import fc from 'fast-check';
import { Run } from '../../src/interactions/run.js';
import { findFaults } from './replay/find-faults.js';
import type { Fate } from './replay/life.js';
import { programs } from './replay/program.js';
import { ReplayWorld } from './replay/replay-world.js';

const fates: fc.Arbitrary<Fate[]> = fc.array(
  fc.record({
    death: fc.constantFrom('kill', 'kill', 'kill', 'shutdown', 'zombie'),
    after: fc.nat(24),
  }),
  { maxLength: 6 },
);
const thousandths = fc.infiniteStream(fc.noBias(fc.nat(999)));

describe(Run.name, () => {
  it('takes up any program after any deaths, and every step comes to what it came to first (I3, I4, I6, I8)', async () => {
    const property = fc.asyncProperty(
      programs,
      fates,
      thousandths,
      async (program, deaths, numbers) => {
        const random = () => (numbers.next().value as number) / 1000;
        const played = await ReplayWorld.open(program, random);
        await played.play(deaths);
        expect(await findFaults(played)).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 1_500, interruptAfterTimeLimit: 10_000 });
  });
});
