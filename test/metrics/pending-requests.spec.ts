import { PendingRequests } from '../../src/metrics/pending-requests.js';
import type { PendingCount } from '../../src/persistence/rows/request-rows.js';
import type { RequestStore } from '../../src/persistence/request.store.js';
import { FakeClock } from '../support/fake-clock.js';
import { Gate } from '../support/gate.js';

const COUNTS: PendingCount[] = [{ kind: 'tool', count: 1, oldest: '2026-01-15T10:00:00.000Z' }];

function open(countPendingRequests: () => Promise<PendingCount[]>) {
  const clock = new FakeClock();
  const store = { countPendingRequests } as unknown as RequestStore;
  return { clock, requests: new PendingRequests(store, clock) };
}

describe(PendingRequests.name, () => {
  it('asks the store at most every 15 seconds, however many ask it', async () => {
    let reads = 0;
    const { clock, requests } = open(async () => (reads++, COUNTS));
    expect(await Promise.all([requests.counts(), requests.counts()])).toEqual([COUNTS, COUNTS]);
    clock.pass(14_000);
    await requests.counts();
    expect(reads).toBe(1);
    clock.pass(1_000);
    await requests.counts();
    expect(reads).toBe(2);
  });

  it('knows nothing while the store fails, and again once it answers', async () => {
    let isAway = true;
    const { clock, requests } = open(async () => {
      if (isAway) throw new Error('away');
      return COUNTS;
    });
    expect(await requests.counts()).toBeUndefined();
    isAway = false;
    clock.pass(15_000);
    expect(await requests.counts()).toEqual(COUNTS);
  });

  it('waits a second for a store that hangs, and asks it no second time', async () => {
    const gate = new Gate();
    let reads = 0;
    const { requests } = open(async () => {
      reads++;
      await gate.pass();
      return COUNTS;
    });
    expect(await requests.counts()).toBeUndefined();
    const late = requests.counts();
    gate.open();
    expect(await late).toEqual(COUNTS);
    expect(reads).toBe(1);
  });
});
