import { uidOf } from '../../support/store/chat-parts.js';
import type { NewIntervention } from '../../../src/persistence/rows/intervention-rows.js';
import { MAX_INTERVENTIONS } from '../../../src/persistence/rows/intervention-rows.js';
import { Ids } from '../../../src/kernel/ids.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import {
  acquireOnceFree,
  at,
  ended,
  endBatch,
  HELD,
  interactionId,
  newBatch,
  newEnd,
  queued,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const ids = new Ids();
const LINES = 'high 🦜, lines \u2028\u2029\r\n, "\\", \u007f';

export function describeInterventions(tested: StoreUnderTest): void {
  describe('interventions', () => {
    it('are kept in order, and each counts a signal', async () => {
      const row = await started(tested.store, { lease: HELD });
      const other = await started(tested.store, { lease: HELD });
      const wanted = [
        newIntervention(row, {
          ...{ user_comment: 'modify', user_content: LINES },
          redacted: { email: 2, 'GitHub token': 1 },
        }),
        newIntervention(row, { user_comment: LINES, created_at: at(0) }),
        newIntervention(row, { agent_id: ids.make('agent'), user_comment: 'delete' }),
      ];
      for (const [i, each] of wanted.entries()) {
        const interaction = { ...row, signals: i + 1 };
        expect(await tested.store.intervene(each)).toEqual({ outcome: 'accepted', interaction });
      }
      const kept = wanted.map((each, i) => ({ ...each, signal: i + 1 }));
      expect(await tested.store.listInterventions(row.id)).toEqual(kept);
      expect(await tested.store.listInterventions(other.id)).toEqual([]);
      expect((await tested.store.findInteraction(other.id))?.signals).toBe(0);
      await tested.reopen();
      expect(await tested.store.listInterventions(row.id)).toEqual(kept);
      expect((await tested.store.findInteraction(row.id))?.signals).toBe(3);
    });

    it('of many at once are in an order that all agree on', async () => {
      const row = await started(tested.store, { lease: HELD });
      const wanted = Array.from({ length: 12 }, () => newIntervention(row));
      await Promise.all(wanted.map((each) => tested.store.intervene(each)));
      const kept = await tested.store.listInterventions(row.id);
      expect(kept.map(({ signal }) => signal)).toEqual(wanted.map((_, i) => i + 1));
      expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(wanted.map(({ id }) => id)));
    });

    it('keep what runs from resting, and wake what is parked', async () => {
      const row = await started(tested.store, { lease: HELD });
      await tested.store.append([newBatch(row.id, [2, 2], { status: 'WAITING_INPUT' })]);
      const lease = { interaction_id: row.id, epoch: 1 };
      await tested.store.intervene(newIntervention(row));
      expect(await tested.store.park({ ...lease, signals: 0 })).toBe(false);
      expect(await tested.store.park({ ...lease, signals: 1 })).toBe(true);
      expect(await tested.store.acquireLease(row.id, HELD)).toBeUndefined();
      await tested.store.intervene(newIntervention(row));
      const { interaction, parked } = await acquireOnceFree(tested.store, row.id);
      expect([interaction.signals, parked]).toEqual([2, true]);
    });

    it('wait with what is queued', async () => {
      const { chat_id } = await started(tested.store, { lease: HELD });
      const row = await queued(tested.store, { chat_id });
      expect(await tested.store.intervene(newIntervention(row))).toMatchObject({
        outcome: 'accepted',
      });
      expect(await tested.store.listInterventions(row.id)).toHaveLength(1);
      expect(await tested.store.acquireLease(row.id, HELD)).toBeUndefined();
    });

    it('are refused by what has ended, is to be cancelled, or is not there', async () => {
      const over = await ended(tested.store, 'over');
      const ending = await started(tested.store, { lease: HELD });
      await tested.store.requestCancel(ending.id, 'Enough.');
      for (const row of [over, ending]) {
        const before = await tested.store.findInteraction(row.id);
        expect(await tested.store.intervene(newIntervention(row))).toEqual({ outcome: 'ended' });
        expect(await tested.store.listInterventions(row.id)).toEqual([]);
        expect(await tested.store.findInteraction(row.id)).toEqual(before);
      }
      const nowhere = newIntervention({ ...over, id: interactionId() });
      expect(await tested.store.intervene(nowhere)).toEqual({ outcome: 'unknown' });
    });

    it('are bounded in number', async () => {
      const row = await started(tested.store, { lease: HELD });
      for (let i = 0; i < MAX_INTERVENTIONS; i++)
        await tested.store.intervene(newIntervention(row));
      expect(await tested.store.intervene(newIntervention(row))).toEqual({ outcome: 'too_many' });
      expect(await tested.store.listInterventions(row.id)).toHaveLength(MAX_INTERVENTIONS);
      expect((await tested.store.findInteraction(row.id))?.signals).toBe(MAX_INTERVENTIONS);
    });

    it('go with their chat', async () => {
      const row = await started(tested.store);
      await tested.store.intervene(newIntervention(row));
      await tested.store.requestCancel(row.id, 'Enough.');
      const { interaction } = await acquireOnceFree(tested.store, row.id);
      const end = newEnd('over', { status: 'CANCELLED' });
      await tested.store.append([endBatch(row.id, 2, { epoch: interaction.epoch, end })]);
      expect(await tested.store.listInterventions(row.id)).toHaveLength(1);
      expect(await tested.store.deleteChat(uidOf(row.chat_id))).toBe('deleted');
      expect(await tested.store.listInterventions(row.id)).toEqual([]);
    });
  });
}

function newIntervention(
  { id, agent_id }: InteractionRow,
  overrides: Partial<NewIntervention> = {},
): NewIntervention {
  return {
    id: ids.make('intervention'),
    interaction_id: id,
    agent_id,
    user_comment: 'Look at the tests first.',
    user_content: null,
    redacted: null,
    created_at: at(5),
    created_by: 'ann',
    ...overrides,
  };
}
