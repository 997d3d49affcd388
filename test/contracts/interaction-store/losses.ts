import type { LeaseTerms } from '../../../src/persistence/rows/lease-rows.js';
import type { RecordBody } from '../../../src/protocol/events.js';
import { OUTCOME_UNKNOWN } from '../../../src/protocol/events.js';
import {
  acquireOnceFree,
  endBatch,
  exchange,
  HELD,
  LAPSING,
  newBatch,
  newRecord,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const RESUMED: RecordBody = { type: 'RESUMED', attempt: 1, reason: 'lost' };
const RESULT = { type: 'TOOL_RESULT', id: 'c1', tool_name: 'bash', is_error: true } as const;
const NO_PROGRESS: readonly RecordBody[] = [
  RESUMED,
  { type: 'NOTICE', code: 'model_retried', message: 'Again.' },
  { type: 'TOOL_STARTED', id: 'c1', tool_name: 'bash' },
  { ...RESULT, tool_output: OUTCOME_UNKNOWN, duration_ms: 0 },
];

export function describeLosses(tested: StoreUnderTest): void {
  /** Takes it up in a run that will be lost; answers its epoch and what was lost before it. */
  const lose = async (id: string, terms: Partial<LeaseTerms> = {}) => {
    const lease = await acquireOnceFree(tested.store, id, { ...LAPSING, ...terms });
    const { losses, alone_losses } = lease;
    return { epoch: lease.interaction.epoch, losses, alone_losses };
  };
  const listed = async (id: string) =>
    (await tested.store.listUnowned(10_000)).find((unowned) => unowned.id === id);
  const listedOnceFree = async (id: string) => {
    let found = await listed(id);
    while (!found) found = await listed(id); // it lapses by the store's clock
    return found;
  };
  const write = (id: string, [epoch, seq]: readonly [number, number], body: RecordBody) =>
    tested.store.append([
      { interaction_id: id, epoch, records: [newRecord(id, seq, { epoch, body, hidden: null })] },
    ]);

  describe('losses', () => {
    it('are counted as long as runs make no progress', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id)).toMatchObject({ epoch: 2, losses: 1 });
      let seq = 2;
      for (const body of NO_PROGRESS) await write(id, [2, seq++], body);
      expect(await lose(id)).toMatchObject({ epoch: 3, losses: 2 });
      expect(await lose(id)).toMatchObject({ epoch: 4, losses: 3 });
      await tested.reopen();
      expect(await lose(id)).toMatchObject({ epoch: 5, losses: 4 });
    });

    it('are forgotten when a run has made progress', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id)).toMatchObject({ epoch: 2, losses: 1 });
      await write(id, [2, 2], RESUMED);
      await write(id, [2, 3], { ...RESULT, tool_output: 'Done.', duration_ms: 1 });
      await write(id, [2, 4], { type: 'TOOL_STARTED', id: 'c2', tool_name: 'bash' });
      await tested.reopen();
      expect(await lose(id)).toMatchObject({ epoch: 3, losses: 0 });
      expect(await lose(id)).toMatchObject({ epoch: 4, losses: 1 });
    });

    it('are not those of a first run that made progress', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      await tested.store.append([newBatch(id, [2, 2])]);
      expect(await lose(id)).toMatchObject({ epoch: 2, losses: 0 });
    });

    it('are told in a group of appends', async () => {
      const [one, two] = [
        await started(tested.store, { lease: LAPSING }),
        await started(tested.store, { lease: LAPSING }),
      ];
      const notice = newRecord(two.id, 2, { body: NO_PROGRESS[1]!, hidden: null });
      await tested.store.append([
        newBatch(one.id, [2, 2]),
        { interaction_id: two.id, epoch: 1, records: [notice] },
      ]);
      expect(await lose(one.id)).toMatchObject({ losses: 0 });
      expect(await lose(two.id)).toMatchObject({ losses: 1 });
    });

    it('are not counted when a run lets go, and not forgotten either', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      const { epoch } = await lose(id, { trial: 1 });
      await tested.store.releaseLease(id, epoch);
      const expected = { losses: 1, alone_losses: 0 };
      expect(await listed(id)).toEqual({ id, is_lost: false, ...expected, trial: 1 });
      expect(await tested.store.acquireLease(id, HELD)).toMatchObject(expected);
    });

    it('are not counted when the owner that may hold it has never begun', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id, { trial: 1 })).toMatchObject({ epoch: 2, losses: 1 });
      const again = { never_begun: true, trial: 1 };
      expect(await lose(id, again)).toEqual({ epoch: 3, losses: 1, alone_losses: 0 });
      const others = { ...again, owner: 'another' };
      expect(await lose(id, others)).toEqual({ epoch: 4, losses: 2, alone_losses: 1 });
    });

    it('are not counted when a run was parked', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      const { epoch } = await lose(id);
      await tested.store.append([
        { ...newBatch(id, [2, 1]), epoch, status: 'WAITING_INPUT' as const },
      ]);
      expect(await tested.store.park({ interaction_id: id, epoch, signals: 0 })).toBe(true);
      await tested.store.requestCancel(id, 'user');
      expect(await lose(id)).toMatchObject({ epoch: 3, losses: 1 });
      await tested.store.append([newBatch(id, [2, 2], { epoch: 3 })]);
      expect(await lose(id)).toMatchObject({ epoch: 4, losses: 0 });
    });

    it('are counted apart while it runs alone; those in a group neither count nor reset', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      expect(await lose(id, { trial: 1 })).toMatchObject({ losses: 1, alone_losses: 0 });
      expect(await lose(id, { trial: 1 })).toMatchObject({ losses: 2, alone_losses: 1 });
      await tested.reopen();
      expect(await lose(id, { trial: 3 })).toMatchObject({ losses: 3, alone_losses: 2 });
      expect(await lose(id)).toMatchObject({ losses: 4, alone_losses: 2 });
      expect(await lose(id, { trial: 1 })).toMatchObject({ losses: 5, alone_losses: 2 });
      const counted = { losses: 6, alone_losses: 3 };
      expect(await listedOnceFree(id)).toEqual({ id, is_lost: true, ...counted, trial: 1 });
      expect(await lose(id)).toMatchObject(counted);
    });

    it('are not counted as those of an interaction alone once others have joined it', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      const { epoch } = await lose(id, { trial: 1 });
      await tested.store.leaveTrial(id, epoch - 1);
      expect(await listedOnceFree(id)).toMatchObject({ alone_losses: 1, trial: 1 });
      await tested.store.leaveTrial(id, epoch);
      await tested.reopen();
      expect(await listedOnceFree(id)).toMatchObject({ losses: 2, alone_losses: 0, trial: 0 });
    });

    it('are not counted of one that has ended, which stays as it ended', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      await tested.store.append([endBatch(id, 2)]);
      await tested.store.leaveTrial(id, 1);
      await tested.reopen();
      expect((await tested.store.findAddedMessages([id])).get(id)).toEqual(exchange('done'));
    });

    it('are all forgotten with progress', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      await lose(id, { trial: 1 });
      const { epoch } = await lose(id, { trial: 1 });
      await tested.store.append([newBatch(id, [2, 2], { epoch })]);
      const none = { losses: 0, alone_losses: 0 };
      expect(await listedOnceFree(id)).toEqual({ id, is_lost: true, ...none, trial: 0 });
      expect(await lose(id)).toMatchObject(none);
    });

    it('are listed before a process takes it up', async () => {
      const { id } = await started(tested.store);
      const none = { losses: 0, alone_losses: 0, trial: 0 };
      expect(await listed(id)).toEqual({ id, is_lost: false, ...none });
      await lose(id);
      await lose(id);
      expect(await listedOnceFree(id)).toEqual({ id, is_lost: true, ...none, losses: 2 });
    });
  });
}
