import fc from 'fast-check';
import { Follower } from '../../src/event-log/follow/follower.js';
import { FollowWorld } from './follow-world.js';
import type { Step } from './follow-world.js';
import { runs } from '../support/thoroughness.js';

const n = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('delta'), slot: n, size: n }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('complete'), slot: n, size: n }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry'), slot: n, size: n }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('misc'), n }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take_over'), n }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('zombie'), n }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat'), n }) },
  { weight: 16, arbitrary: fc.record({ kind: fc.constant('release'), n }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('tick'), n }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('connect'), reader: n, n: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave'), reader: n, n }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('check_tail'), reader: n, n }) },
);
const rate = fc.constantFrom(0, 0, 0.1, 0.4);
const faults = fc.record({ seed: fc.nat(), loss: rate, repeat: rate, stale: rate });

describe(`${Follower.name} in any world`, () => {
  it('gives every reader every record once, and every character once, in order (I2)', async () => {
    const property = fc.asyncProperty(
      faults,
      fc.array(step, { minLength: 20, maxLength: 160, size: 'max' }),
      async (busFaults, steps) => {
        expect(await new FollowWorld(busFaults).play(steps)).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: runs(1500) });
  });
});
