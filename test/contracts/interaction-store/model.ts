import fc from 'fast-check';
import { at } from './fixtures.js';
import type { Operation } from './model-operations.js';
import { operation } from './model-operations.js';
import { ModelWalk } from './model-walk.js';
import type { StoreUnderTest } from './store-under-test.js';
import { runs } from '../../support/thoroughness.js';

export function describeModel(tested: StoreUnderTest): void {
  it('does what the store in memory does, whatever the order of operations', async () => {
    const operations = fc.noBias(fc.array(operation, { maxLength: 80, size: 'max' }));
    const property = fc.asyncProperty(operations, (each) => walk(tested, each));
    // Making a failure smaller takes longer than the test may: its seed is enough.
    await fc.assert(property, { numRuns: runs(15), timeout: 100_000, endOnFailure: true });
  }, 300_000);
}

async function walk(tested: StoreUnderTest, operations: readonly Operation[]): Promise<void> {
  const walk = new ModelWalk(tested);
  const walked = operations.filter(({ kind }) => kind !== 'restart' || tested.walksOverRestarts);
  for (const [i, each] of walked.entries()) await walk.run(each, at(i));
  await walk.compareAll();
}
