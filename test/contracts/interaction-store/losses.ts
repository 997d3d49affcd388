import { acquireOnceFree, HELD, LAPSING, newBatch, started } from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

export function describeLosses(tested: StoreUnderTest): void {
  /** Takes it up in a run that will be lost; answers its epoch and how many were lost before it. */
  const lose = async (id: string) => {
    const lease = await acquireOnceFree(tested.store, id, LAPSING);
    return { epoch: lease.interaction.epoch, losses: lease.losses };
  };
  const listed = async (id: string) =>
    (await tested.store.listUnowned(10_000)).find((unowned) => unowned.id === id);

  describe('losses', () => {
    it('are counted as long as runs write nothing but their first record', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id)).toEqual({ epoch: 2, losses: 1 });
      await tested.store.append([newBatch(id, [2, 2], { epoch: 2 })]);
      expect(await lose(id)).toEqual({ epoch: 3, losses: 2 });
      expect(await lose(id)).toEqual({ epoch: 4, losses: 3 });
      await tested.store.append([newBatch(id, [3, 3], { epoch: 4 })]);
      await tested.reopen();
      expect(await lose(id)).toEqual({ epoch: 5, losses: 4 });
    });

    it('are forgotten when a run has written more', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id)).toEqual({ epoch: 2, losses: 1 });
      await tested.store.append([newBatch(id, [2, 3], { epoch: 2 })]);
      expect(await lose(id)).toEqual({ epoch: 3, losses: 0 });
      expect(await lose(id)).toEqual({ epoch: 4, losses: 1 });
    });

    it('are not those of a first run that wrote something', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      await tested.store.append([newBatch(id, [2, 2])]);
      expect(await lose(id)).toEqual({ epoch: 2, losses: 0 });
    });

    it('are not counted when a run lets go, and not forgotten either', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      const { epoch } = await lose(id);
      await tested.store.releaseLease(id, epoch);
      expect(await listed(id)).toEqual({ id, is_lost: false, losses: 1 });
      expect((await tested.store.acquireLease(id, HELD))?.losses).toBe(1);
    });

    it('are not counted when the owner that may hold it has never begun', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id)).toEqual({ epoch: 2, losses: 1 });
      const again = { ...LAPSING, never_begun: true };
      const own = await acquireOnceFree(tested.store, id, again);
      expect(own).toMatchObject({ interaction: { epoch: 3 }, losses: 1 });
      const others = await acquireOnceFree(tested.store, id, { ...again, owner: 'another' });
      expect(others).toMatchObject({ interaction: { epoch: 4 }, losses: 2 });
    });

    it('are not counted when a run was parked: the first record of the next is its own', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      const { epoch } = await lose(id);
      await tested.store.append([newBatch(id, [2, 2], { epoch, status: 'WAITING_INPUT' })]);
      expect(await tested.store.park({ interaction_id: id, epoch, signals: 0 })).toBe(true);
      await tested.store.requestCancel(id, 'user');
      expect(await lose(id)).toEqual({ epoch: 3, losses: 1 });
      await tested.store.append([newBatch(id, [3, 3], { epoch: 3 })]);
      expect(await lose(id)).toEqual({ epoch: 4, losses: 0 });
    });

    it('are listed before anybody takes it up', async () => {
      const { id } = await started(tested.store);
      expect(await listed(id)).toEqual({ id, is_lost: false, losses: 0 });
      await lose(id);
      await lose(id);
      let last = await listed(id);
      while (!last) last = await listed(id); // it lapses by the store's clock
      expect(last).toEqual({ id, is_lost: true, losses: 2 });
    });
  });
}
