import { uidOf } from '../../support/store/chat-parts.js';
import type { Settlement } from '../../../src/persistence/rows/request-rows.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import {
  acquireOnceFree,
  at,
  ended,
  endBatch,
  HELD,
  interactionId,
  LAPSING,
  newBatch,
  newRequest,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';
import { listUnowned } from '../../support/store/list-unowned.js';

const OTHER = { ...HELD, owner: 'process-b' };
const ANSWER: Settlement = { kind: 'input', answer: 'yes', by: { kind: 'user', user_id: 'ann' } };

let requirements = 0;

export function describeParking(tested: StoreUnderTest): void {
  describe('parking (I11)', () => {
    it('lets go of the lease, and rests', async () => {
      const { row } = await waiting(tested);
      expect(await park(tested, row)).toBe(true);
      expect(await tested.store.findInteraction(row.id)).toEqual(row);
      expect(await isListed(tested, row.id)).toBe(false);
      expect(await tested.store.acquireLease(row.id, OTHER)).toBeUndefined();
      const held = [{ interaction_id: row.id, epoch: row.epoch }];
      expect(await tested.store.renewLeases(held, HELD)).toEqual([]);
      await tested.reopen();
      expect(await isListed(tested, row.id)).toBe(false);
      expect((await tested.store.findActiveInteraction(uidOf(row.chat_id)))?.id).toBe(row.id);
    });

    it('is not for what works', async () => {
      const row = await started(tested.store, { lease: HELD });
      expect(await park(tested, row)).toBe(false);
      const held = [{ interaction_id: row.id, epoch: row.epoch }];
      expect(await tested.store.renewLeases(held, HELD)).toHaveLength(1);
    });

    it('is woken by a decision, and nothing of it was lost', async () => {
      const { row, request_id } = await waiting(tested);
      await park(tested, row);
      await tested.store.settleRequest({ request_id, settlement: ANSWER, at: at(50) });
      expect(await isListed(tested, row.id)).toBe(true);
      const lease = await tested.store.acquireLease(row.id, OTHER);
      const interaction = { ...row, epoch: 2, signals: 1 };
      expect(lease).toEqual({
        interaction,
        lost_owner: null,
        parked: true,
        losses: 0,
        alone_losses: 0,
      });
      expect(await isListed(tested, row.id)).toBe(false);
    });

    it('is woken by a cancel', async () => {
      const { row } = await waiting(tested);
      await park(tested, row);
      await tested.store.requestCancel(row.id, 'user');
      expect(await isListed(tested, row.id)).toBe(true);
      const lease = await tested.store.acquireLease(row.id, OTHER);
      expect(lease).toMatchObject({ parked: true, interaction: { cancel_reason: 'user' } });
    });

    it('remembers through a restart that it has to be woken', async () => {
      const { row, request_id } = await waiting(tested);
      await park(tested, row);
      await tested.store.settleRequest({ request_id, settlement: ANSWER, at: at(50) });
      await tested.reopen();
      expect(await isListed(tested, row.id)).toBe(true);
      expect(await tested.store.acquireLease(row.id, OTHER)).toMatchObject({ parked: true });
    });

    it('is over once the lease is taken: what is lost then was lost', async () => {
      const { row } = await waiting(tested);
      await park(tested, row);
      await tested.store.requestCancel(row.id, 'user');
      await tested.store.acquireLease(row.id, LAPSING);
      const lease = await acquireOnceFree(tested.store, row.id, OTHER);
      expect(lease).toMatchObject({ parked: false, lost_owner: LAPSING.owner });
    });

    it('can be done again by the run that was woken', async () => {
      const { row, request_id } = await waiting(tested);
      await park(tested, row);
      await tested.store.settleRequest({ request_id, settlement: ANSWER, at: at(50) });
      await tested.store.acquireLease(row.id, OTHER);
      expect(await park(tested, { ...row, epoch: 2 })).toBe(false);
      expect(await park(tested, { ...row, epoch: 2, signals: 1 })).toBe(true);
      expect(await isListed(tested, row.id)).toBe(false);
    });

    it('is refused when something was signalled that the run has not seen', async () => {
      const { row, request_id } = await waiting(tested);
      await tested.store.settleRequest({ request_id, settlement: ANSWER, at: at(50) });
      expect(await park(tested, row)).toBe(false);
      expect(await tested.store.acquireLease(row.id, OTHER)).toBeUndefined();
      expect(await tested.store.append([newBatch(row.id, [3, 3])])).toEqual(['written']);
    });

    it('is refused when the interaction is to be cancelled, has ended, or is another’s', async () => {
      const { row: cancelled } = await waiting(tested);
      const { row: lost } = await waiting(tested, LAPSING);
      await tested.store.requestCancel(cancelled.id, 'user');
      await acquireOnceFree(tested.store, lost.id, OTHER);
      const over = await ended(tested.store, 'one');
      const refused = [{ ...cancelled, signals: 1 }, lost, over, { ...over, id: interactionId() }];
      for (const row of refused) expect(await park(tested, row)).toBe(false);
    });

    it('is refused when the lease was let go of', async () => {
      const { row } = await waiting(tested);
      await tested.store.releaseLease(row.id, row.epoch);
      expect(await park(tested, row)).toBe(false);
      expect(await tested.store.acquireLease(row.id, OTHER)).toMatchObject({ parked: false });
    });

    it('loses no decision that races it', async () => {
      for (let i = 0; i < 20; i++) {
        const { row, request_id } = await waiting(tested);
        const [parked, settled] = await Promise.all([
          park(tested, row),
          tested.store.settleRequest({ request_id, settlement: ANSWER, at: at(50) }),
        ]);
        expect(settled).toMatchObject({ outcome: 'settled', interaction: { signals: 1 } });
        const lease = await tested.store.acquireLease(row.id, OTHER);
        expect(lease?.parked).toBe(parked ? true : undefined);
      }
    });

    it('for a requirement rests, whatever the status, until that is there', async () => {
      const waits_for = requirement();
      const row = await started(tested.store, { lease: HELD });
      expect(await park(tested, row, waits_for)).toBe(true);
      await tested.reopen();
      expect(await tested.store.findInteraction(row.id)).toEqual({ ...row, waits_for });
      expect(await isListed(tested, row.id)).toBe(false);
      expect(await tested.store.acquireLease(row.id, OTHER)).toBeUndefined();

      expect(await tested.store.wakeParked(requirement(), 9)).toEqual([]);
      expect(await tested.store.wakeParked(waits_for, 9)).toEqual([row.id]);
      expect(await tested.store.wakeParked(waits_for, 9)).toEqual([]);
      await tested.reopen();
      expect(await isListed(tested, row.id)).toBe(true);
      const interaction = { ...row, epoch: 2, signals: 1 };
      const lease = await tested.store.acquireLease(row.id, OTHER);
      expect(lease).toMatchObject({ parked: true, lost_owner: null, interaction });
      expect(await tested.store.findInteraction(row.id)).toEqual(interaction);
    });

    it('for a requirement ends with a cancel or a decision, as any other', async () => {
      const waits_for = requirement();
      const { row, request_id } = await waiting(tested);
      const cancelled = await started(tested.store, { lease: HELD });
      for (const each of [row, cancelled]) expect(await park(tested, each, waits_for)).toBe(true);
      expect((await tested.store.findInteraction(row.id))?.status).toBe('RUNNING');
      await tested.store.settleRequest({ request_id, settlement: ANSWER, at: at(50) });
      await tested.store.requestCancel(cancelled.id, 'user');
      expect(await tested.store.wakeParked(waits_for, 9)).toEqual([]);
      for (const { id } of [row, cancelled]) {
        expect(await isListed(tested, id)).toBe(true);
        const lease = await tested.store.acquireLease(id, OTHER);
        expect(lease).toMatchObject({ parked: true, interaction: { waits_for: null } });
      }
    });

    it('for a requirement is refused as any other', async () => {
      const waits_for = requirement();
      const row = await started(tested.store, { lease: HELD });
      const over = await ended(tested.store, 'one');
      for (const refused of [{ ...row, epoch: 2 }, { ...row, signals: 1 }, over])
        expect(await park(tested, refused, waits_for)).toBe(false);
      await tested.store.requestCancel(row.id, 'user');
      expect(await park(tested, { ...row, signals: 1 }, waits_for)).toBe(false);
      expect(await tested.store.listAwaited(99, before(waits_for))).not.toContain(waits_for);
    });

    it('lists each requirement once, in pages, and wakes as many as it is told to', async () => {
      const names = [requirement(), requirement()].sort();
      const [first, second] = names as [string, string];
      const rows: InteractionRow[] = [];
      for (const waits_for of [second, first, first]) {
        const row = await started(tested.store, { lease: HELD });
        await park(tested, row, waits_for);
        rows.push(row);
      }
      expect(await tested.store.listAwaited(1, before(first))).toEqual([first]);
      expect(await tested.store.listAwaited(2, before(first))).toEqual(names);
      expect(await tested.store.listAwaited(1, first)).toEqual([second]);
      const woken = [
        ...(await tested.store.wakeParked(first, 1)),
        ...(await tested.store.wakeParked(first, 1)),
      ];
      expect(woken.sort()).toEqual([rows[1]!.id, rows[2]!.id].sort());
      expect(await tested.store.listAwaited(1, before(first))).toEqual([second]);
    });

    it('holds the chat, and its end lets it go', async () => {
      const { row } = await waiting(tested);
      await park(tested, row);
      expect(await tested.store.deleteChat(uidOf(row.chat_id))).toBe('busy');
      await tested.store.requestCancel(row.id, 'user');
      const lease = await tested.store.acquireLease(row.id, OTHER);
      const { epoch, last_seq } = lease!.interaction;
      await tested.store.append([endBatch(row.id, last_seq + 1, { epoch })]);
      expect(await isListed(tested, row.id)).toBe(false);
      expect((await started(tested.store, { chat_id: row.chat_id })).parent_id).toBe(row.id);
    });
  });
}

/** One that runs and waits for an answer. */
async function waiting(
  tested: StoreUnderTest,
  lease = HELD,
): Promise<{ row: InteractionRow; request_id: string }> {
  const created_at = '1965-01-01T00:00:00.000Z';
  const { id } = await started(tested.store, { created_at, lease });
  const request = newRequest(2);
  const extra = { requests: [request], status: 'WAITING_INPUT' } as const;
  await tested.store.append([newBatch(id, [2, 2], extra)]);
  return { row: (await tested.store.findInteraction(id))!, request_id: request.id };
}

function park(
  tested: StoreUnderTest,
  { id, epoch, signals }: InteractionRow,
  waits_for?: string,
): Promise<boolean> {
  const missing = waits_for === undefined ? undefined : ({ waits_for, status: 'RUNNING' } as const);
  return tested.store.park({ interaction_id: id, epoch, signals, missing });
}

/** Last in the order, as the store may have those of other tests. */
function requirement(): string {
  return `tool:~${String(++requirements).padStart(6, '0')}`;
}

function before(waits_for: string): string {
  return (
    waits_for.slice(0, -1) + String.fromCharCode(waits_for.charCodeAt(waits_for.length - 1) - 1)
  );
}

/** Whether the sweep would find it. */
async function isListed(tested: StoreUnderTest, id: string): Promise<boolean> {
  return (await listUnowned(tested.store, 1000)).includes(id);
}
