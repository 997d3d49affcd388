import {
  acquireOnceFree,
  at,
  ended,
  endBatch,
  HELD,
  interactionId,
  LAPSING,
  newBatch,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';
import { eventually } from '../../support/eventually.js';
import { listUnowned } from '../../support/store/list-unowned.js';

const OTHER = { ...HELD, owner: 'process-b' };

export function describeLeases(tested: StoreUnderTest): void {
  describe('leases', () => {
    it('are taken by one of many (I6)', async () => {
      const row = await started(tested.store);
      const tries = Array.from({ length: 30 }, () => tested.store.acquireLease(row.id, HELD));
      const taken = (await Promise.all(tries)).filter((lease) => lease !== undefined);
      expect(taken).toEqual([
        {
          interaction: { ...row, epoch: 1 },
          lost_owner: null,
          parked: false,
          losses: 0,
          alone_losses: 0,
        },
      ]);
      expect(await tested.store.findInteraction(row.id)).toEqual({ ...row, epoch: 1 });
    });

    it('are not taken while held, not even by their holder', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      expect(await tested.store.acquireLease(id, OTHER)).toBeUndefined();
      expect(await tested.store.acquireLease(id, HELD)).toBeUndefined();
      expect((await tested.store.findInteraction(id))?.epoch).toBe(1);
    });

    it('are taken from a run that let them lapse, and say whose they were', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      const second = await acquireOnceFree(tested.store, id, { owner: 'process-b', ttl_ms: 1 });
      expect(second).toMatchObject({ interaction: { epoch: 2 }, lost_owner: 'process-a' });
      const third = await acquireOnceFree(tested.store, id, { ...HELD, owner: 'process-c' });
      expect(third).toMatchObject({ interaction: { epoch: 3 }, lost_owner: 'process-b' });
    });

    it('are free again once released, and nobody has lost them', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      await tested.store.releaseLease(id, 1);
      const lease = await tested.store.acquireLease(id, OTHER);
      expect(lease).toMatchObject({ interaction: { epoch: 2 }, lost_owner: null });
    });

    it('are not released by a run that has lost them', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      await acquireOnceFree(tested.store, id, OTHER);
      await tested.store.releaseLease(id, 1);
      await tested.store.releaseLease(interactionId(), 1);
      expect(await tested.store.acquireLease(id, HELD)).toBeUndefined();
    });

    it('are not given for what has ended or is not there', async () => {
      const { id } = await ended(tested.store, 'one');
      expect(await tested.store.acquireLease(id, OTHER)).toBeUndefined();
      expect(await tested.store.acquireLease(interactionId(), OTHER)).toBeUndefined();
    });

    it('are renewed if still held; the answer leaves out the lost ones', async () => {
      const held = await started(tested.store, { lease: HELD });
      const lost = await started(tested.store, { lease: LAPSING });
      await acquireOnceFree(tested.store, lost.id, OTHER);
      const again = await started(tested.store, { lease: LAPSING });
      await acquireOnceFree(tested.store, again.id, HELD); // by a later run of the same process
      const released = await started(tested.store, { lease: HELD });
      await tested.store.releaseLease(released.id, 1);
      const over = await ended(tested.store, 'one');
      await tested.store.requestCancel(held.id, 'enough', 'ann');
      const asked = [held, lost, again, released, over].map(({ id }) => ({
        interaction_id: id,
        epoch: 1,
      }));
      const renewed = await tested.store.renewLeases(
        [...asked, { interaction_id: interactionId(), epoch: 1 }],
        HELD,
      );
      const state = {
        interaction_id: held.id,
        last_seq: 1,
        signals: 1,
        cancel_reason: 'enough',
        cancelled_by: 'ann',
      };
      expect(renewed).toEqual([state]);
      expect(await tested.store.renewLeases([], HELD)).toEqual([]);
    });

    it('last as long as their newest renewal says', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      const held = [{ interaction_id: id, epoch: 1 }];
      expect(await tested.store.renewLeases(held, LAPSING)).toHaveLength(1);
      const lease = await acquireOnceFree(tested.store, id, OTHER);
      expect(lease).toMatchObject({ interaction: { epoch: 2 }, lost_owner: 'process-a' });
    });

    describeUnowned(tested);
  });
}

function describeUnowned(tested: StoreUnderTest): void {
  /** Older than what any other test leaves behind, so that these come first. */
  const past = (year: number) => `${year}-01-01T00:00:00.000Z`;

  it('lists what nobody holds, oldest first', async () => {
    const never = await started(tested.store, { created_at: past(1952) });
    const held = await started(tested.store, { created_at: past(1951), lease: HELD });
    const released = await started(tested.store, { created_at: past(1950), lease: HELD });
    await tested.store.releaseLease(released.id, 1);
    const lapsed = await started(tested.store, { created_at: past(1953), lease: HELD });
    await tested.store.renewLeases([{ interaction_id: lapsed.id, epoch: 1 }], LAPSING);
    const over = await ended(tested.store, 'one', { created_at: past(1954) });

    const expected = [released.id, never.id, lapsed.id];
    const ours = new Set([...expected, held.id, over.id]);
    let listed: string[] = [];
    await eventually(async () => {
      listed = (await listUnowned(tested.store, 1000)).filter((id) => ours.has(id));
      return listed.length === 3;
    });
    expect(listed).toEqual(expected);
    expect(await listUnowned(tested.store, 2)).toEqual(expected.slice(0, 2));

    for (const id of expected) {
      const lease = await tested.store.acquireLease(id, HELD);
      await tested.store.append([endBatch(id, 2, { epoch: lease?.interaction.epoch ?? 0 })]);
    }
    const left = await listUnowned(tested.store, 1000);
    expect(left.filter((id) => ours.has(id))).toEqual([]);
  });
}

export function describeSignals(tested: StoreUnderTest): void {
  describe('cancelling', () => {
    it('marks an active interaction, counts every call and keeps the first request', async () => {
      const row = await started(tested.store, { lease: HELD });
      const first = await tested.store.requestCancel(row.id, 'user', 'ann');
      const marked = { ...row, cancel_reason: 'user', cancelled_by: 'ann' };
      expect(first).toEqual({ ...marked, signals: 1 });
      expect(await tested.store.requestCancel(row.id, 'client left')).toEqual({
        ...marked,
        signals: 2,
      });
      const third = await tested.store.requestCancel(row.id, 'again', 'bob');
      expect(third).toEqual({ ...marked, signals: 3 });
      expect(await tested.store.findInteraction(row.id)).toEqual(third);
    });

    it('names no user where the server itself was first', async () => {
      const row = await started(tested.store, { lease: HELD });
      await tested.store.requestCancel(row.id, 'client left');
      const second = await tested.store.requestCancel(row.id, 'user', 'ann');
      expect(second).toMatchObject({ cancel_reason: 'client left', cancelled_by: null });
    });

    it('loses no signal of concurrent calls', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      const tries = Array.from({ length: 20 }, (_, i) => tested.store.requestCancel(id, `r${i}`));
      const answers = await Promise.all(tries);
      expect((await tested.store.findInteraction(id))?.signals).toBe(20);
      expect(new Set(answers.map((row) => row?.cancel_reason)).size).toBe(1);
    });

    it('leaves an interaction alone that has ended', async () => {
      const { id } = await ended(tested.store, 'one');
      const row = await tested.store.findInteraction(id);
      expect(await tested.store.requestCancel(id, 'late')).toEqual(row);
      expect(row).toMatchObject({ signals: 0, cancel_reason: null, completed_at: at(90) });
    });

    it('answers nothing for an interaction that is not there', async () => {
      expect(await tested.store.requestCancel(interactionId(), 'x')).toBeUndefined();
    });

    it('does not disturb the run that holds the lease', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      await tested.store.requestCancel(id, 'user');
      expect(await tested.store.append([newBatch(id, [2, 2])])).toEqual(['written']);
      expect(await tested.store.findInteraction(id)).toMatchObject({ signals: 1, last_seq: 2 });
    });
  });
}
