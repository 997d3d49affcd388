import { jest } from '@jest/globals';
import type { Config } from '../../config/config.js';
import type { LeaseState, LeaseTerms } from '../../persistence/rows/lease-rows.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Gate } from '../../../test/support/gate.js';
import { quiet } from '../../../test/support/quiet.js';
import { RunWorld } from '../../../test/support/runs/run-world.js';
import { LeaseKeeper, ProcessName } from './lease-keeper.js';
import type { LeasedRun } from './lease-keeper.js';
import type { Run } from '../run.js';
import { listUnowned } from '../../../test/support/store/list-unowned.js';

const TTL = 15_000;

describe(LeaseKeeper.name, () => {
  let clock: FakeClock;
  let keeper: LeaseKeeper;
  let world: RunWorld;
  let told: string[];

  beforeEach(async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
    });
    clock = new FakeClock();
    told = [];
    const name = new ProcessName();
    const lease: LeaseTerms = { owner: name.name, ttl_ms: TTL };
    world = await RunWorld.open({ clock, lease });
    keeper = new LeaseKeeper(world.store, world.store, clock, { leaseTtlMs: TTL } as Config, name);
    keeper.onApplicationBootstrap();
  });

  afterEach(() => {
    keeper.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  function hold(epoch = 1, interactionId = world.interactionId): LeasedRun {
    const run = {
      interactionId,
      epoch,
      lose: () => told.push('lose'),
      cutOff: () => told.push('cut off'),
      signals: {
        renewed: ({ cancel_reason }: LeaseState) =>
          cancel_reason !== null && told.push(`cancel: ${cancel_reason}`),
      },
    } as unknown as Run;
    const leased = { run, lease: keeper.newLease(clock.boottime()) };
    keeper.hold(leased);
    return leased;
  }

  async function pass(milliseconds: number): Promise<void> {
    clock.pass(milliseconds);
    jest.advanceTimersByTime(milliseconds);
    await quiet(null);
  }

  it('renews what it holds, long after the first lease', async () => {
    const held = hold();
    for (let i = 0; i < 10; i++) await pass(TTL / 3);
    expect(held.lease.isFresh).toBe(true);
    expect(await listUnowned(world.store, 10)).toEqual([]);
    expect(told).toEqual([]);
  });

  it('stops a run whose last records the store has lost', async () => {
    const { run } = hold();
    const [row] = await world.store.readLastSeqs([world.interactionId]);
    Object.assign(run, { savedSeq: row![1] });
    await pass(TTL / 3);
    expect(told).toEqual([]);
    Object.assign(run, { savedSeq: row![1] + 1, interaction: await world.row() });
    await pass(TTL / 3);
    expect(told).toEqual(['lose']);
  });

  it('renews nothing that it does not hold any more', async () => {
    keeper.drop(hold());
    for (let i = 0; i < 4; i++) await pass(TTL / 3);
    expect(await listUnowned(world.store, 10)).toEqual([world.interactionId]);
    expect(keeper.held()).toEqual([]);
  });

  it('keeps a later run of an interaction when the earlier one is dropped', () => {
    const earlier = hold(1);
    const later = hold(2);
    keeper.drop(earlier);
    expect(keeper.held()).toEqual([later]);
  });

  it('tells a run that another one has taken over (I6)', async () => {
    hold();
    clock.pass(TTL);
    await world.store.acquireLease(world.interactionId, { owner: 'other', ttl_ms: TTL });
    await pass(TTL / 3);
    expect(told).toEqual(['lose']);
  });

  it('says nothing to a run that has just ended', async () => {
    hold();
    const end = { agent_id: world.rootId, key: null, hidden: null, at: clock.now().toISOString() };
    const { interactionId: interaction_id, store } = world;
    const body = { type: 'INTERACTION_COMPLETE', status: 'COMPLETED' } as const;
    const completed_at = clock.now().toISOString();
    await store.append([
      {
        ...{ interaction_id, epoch: 1 },
        records: [{ ...end, interaction_id, epoch: 1, seq: 2, body }],
        end: { status: 'COMPLETED', error: null, completed_at, added_messages: [] },
      },
    ]);
    await pass(TTL / 3);
    expect(told).toEqual([]);
  });

  it('tells a run that its interaction is gone', async () => {
    hold(1, 'int_gone');
    await pass(TTL / 3);
    expect(told).toEqual(['lose']);
  });

  it('tells a run that it is to be cancelled, with the first reason', async () => {
    hold();
    await world.store.requestCancel(world.interactionId, 'user');
    await world.store.requestCancel(world.interactionId, 'somebody else');
    await pass(TTL / 3);
    expect(told).toEqual(['cancel: user']);
  });

  it('counts from before the renewal was sent', async () => {
    const held = hold();
    const gate = new Gate();
    const { store } = world;
    const renew = store.renewLeases.bind(store);
    store.renewLeases = (...asked) => gate.pass().then(() => renew(...asked));
    const sent_at = clock.boottime() + TTL / 3;
    await pass(TTL / 3);
    clock.pass(TTL / 2);
    gate.open();
    await quiet(null);
    expect(held.lease.renewed_at).toBe(sent_at);
  });

  it('lets a run go on while the store is away, as long as its lease lasts', async () => {
    hold();
    world.store.renewLeases = () => Promise.reject(new Error('connection refused'));
    await pass(TTL / 3);
    await pass(TTL / 3);
    expect(told).toEqual([]);
    await pass(TTL / 3);
    expect(told).toEqual(['cut off']);
  });

  it('stops a run whose lease has lapsed while the store does not answer at all', async () => {
    hold();
    world.store.renewLeases = () => new Promise(() => {});
    await pass(TTL / 3);
    await pass(TTL / 3);
    expect(told).toEqual([]);
    await pass(TTL / 3);
    expect(told).toEqual(['cut off']);
  });

  it('takes a process that slept for a zombie until the store says otherwise', async () => {
    const held = hold();
    clock.pass(10 * TTL);
    expect(held.lease.isFresh).toBe(false);
    await pass(TTL / 3);
    expect(held.lease.isFresh).toBe(true);
    expect(told).toEqual([]);
  });

  it('asks the store within a second whether it has lost a run in a suspended machine (I6)', async () => {
    hold();
    clock.jump(2 * TTL);
    await world.store.releaseLease(world.interactionId, 1); // it has expired by the store's clock
    await world.store.acquireLease(world.interactionId, { owner: 'other', ttl_ms: TTL });
    await pass(1_000);
    expect(told).toEqual(['lose']);
  });

  it('does not believe its leases after a suspension, until they are renewed (I6)', async () => {
    const held = hold();
    clock.jump(TTL);
    expect(held.lease.isFresh).toBe(false);
    await pass(1_000);
    expect(held.lease.isFresh).toBe(true);
    expect(told).toEqual([]);
  });

  it.each([10 * TTL, -10 * TTL])('keeps its runs when the wall clock is set by %i', async (by) => {
    const held = hold();
    clock.jump(by);
    await pass(1_000);
    expect(held.lease.isFresh).toBe(true);
    expect(told).toEqual([]);
  });

  it('renews once for a jump of the wall clock, and not for one back', async () => {
    hold();
    let renewals = 0;
    const renew = world.store.renewLeases.bind(world.store);
    world.store.renewLeases = (...asked) => {
      renewals++;
      return renew(...asked);
    };
    for (const jump of [TTL, 0, -TTL, 0]) {
      clock.jump(jump);
      await pass(1_000);
    }
    expect(renewals).toBe(1);
  });

  it('finds the run of an interaction, and only of those that it holds', () => {
    const { run } = hold();
    expect(keeper.find(world.interactionId)).toBe(run);
    expect(keeper.find('int_other')).toBeUndefined();
  });
});
