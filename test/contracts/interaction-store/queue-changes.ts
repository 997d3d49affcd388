import { LOCAL, uidOf } from '../../support/store/chat-parts.js';
import { ANY_TENANT } from '../../../src/persistence/any-tenant.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import type { QueuedChange } from '../../../src/persistence/rows/start-rows.js';
import { at, chatId, endBatch, HELD, newStart, queued, readAll, started } from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const NOT_QUEUED = { outcome: 'not_queued' };

export function describeQueueChanges(tested: StoreUnderTest): void {
  /** An active interaction and so many queued ones. */
  const waiting = async (count: number) => {
    const active = await started(tested.store, { lease: HELD });
    const { chat_id } = active;
    const rows: InteractionRow[] = [];
    for (let i = 0; i < count; i++) rows.push(await queued(tested.store, { chat_id }));
    return { active, chat_id, rows, uid: uidOf(chat_id) };
  };
  const change = ({ id, tenant_id }: InteractionRow, changes: QueuedChange) =>
    tested.store.changeQueued({ id, tenant_id }, changes);
  const queueOf = async (uid: string) => {
    const state = (await tested.store.readStates([uid])).get(uid);
    return state!.queued;
  };
  const textOf = ({ settings }: InteractionRow, user_message: string) => ({
    text: { user_message, settings: { ...settings, redacted: { email: 1 } } },
  });

  describe('changes of a queued interaction', () => {
    it('edit its message, with which it begins', async () => {
      const { active, rows, uid } = await waiting(2);
      const [first, second] = [rows[0]!, rows[1]!];
      const before = await tested.store.findInteraction(second.id);
      const changes = textOf(first, 'Ändere: 6 * 8?');
      const edited = { ...first, ...changes.text };
      expect(await change(first, changes)).toEqual({ outcome: 'changed', interaction: edited });
      await tested.reopen();
      expect(await tested.store.findInteraction(first.id)).toEqual(edited);
      expect(await tested.store.findInteraction(second.id)).toEqual(before);
      const again = textOf(first, 'And now?');
      await change(first, again);
      expect((await tested.store.readStates([uid])).get(uid)).toMatchObject({
        ...{ queued: [first.id, second.id], queue_changes: [2, 0] },
      });

      await tested.store.append([endBatch(active.id, 2)]);
      await tested.reopen();
      const row = await tested.store.findActiveInteraction(uid);
      expect(row).toMatchObject({ id: first.id, status: 'RUNNING', ...again.text });
      const [record] = await readAll(tested.store, first.id);
      expect(record?.body).toMatchObject({ user_message: 'And now?' });
    });

    it('answer a repeated key with the edited one', async () => {
      const { chat_id } = await waiting(0);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const row = await queued(tested.store, { chat_id, idempotency });
      await change(row, textOf(row, 'Other'));
      const repeat = newStart({ chat_id, idempotency });
      expect(await tested.store.startInteraction(repeat)).toMatchObject({
        ...{ outcome: 'repeated', interaction: { id: row.id, user_message: 'Other' } },
      });
    });

    it('move it, through restarts', async () => {
      const { active, chat_id, rows, uid } = await waiting(4);
      const [a, b, c, d] = rows.map(({ id }) => id) as [string, string, string, string];
      const move = async (index: number, before: string | null) => {
        expect((await change(rows[index]!, { before })).outcome).toBe('changed');
        return queueOf(uid);
      };
      expect(await move(3, a)).toEqual([d, a, b, c]);
      expect(await move(0, null)).toEqual([d, b, c, a]);
      expect(await move(2, b)).toEqual([d, c, b, a]);
      await tested.reopen();
      expect(await move(0, b)).toEqual([d, c, a, b]);
      expect(await move(0, b)).toEqual([d, c, a, b]);
      const urgent = await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
      const last = await queued(tested.store, { chat_id });
      const order = [urgent.id, d, c, a, b, last.id];
      expect(await queueOf(uid)).toEqual(order);
      const unfinished = await tested.store.listUnfinished(uid);
      expect(unfinished.map(({ id }) => id)).toEqual([active.id, ...order]);
      const page = { chat_uid: uid, superseded: false, limit: 9 };
      const listed = await tested.store.listInteractions(page);
      expect(listed.map(({ id }) => id)).toEqual([...order.toReversed(), active.id]);
      await tested.store.append([endBatch(active.id, 2)]);
      await tested.reopen();
      expect((await tested.store.findActiveInteraction(uid))?.id).toBe(urgent.id);
      expect(await queueOf(uid)).toEqual(order.slice(1));
    });

    it('keep the order of the others, however often two change places', async () => {
      const { rows, uid } = await waiting(5);
      const [a, b, c, d, e] = rows.map(({ id }) => id) as [string, string, string, string, string];
      const moved = [rows[3]!, rows[4]!];
      for (let i = 0; i < 120; i++) {
        await change(moved[i % 2]!, { before: c });
        const last = moved[i % 2]!.id;
        if (i > 0) expect(await queueOf(uid)).toEqual([a, b, last === d ? e : d, last, c]);
      }
    });

    it('edit and move it at once', async () => {
      const { rows, uid } = await waiting(2);
      const [first, second] = [rows[0]!, rows[1]!];
      const outcome = await change(second, { ...textOf(second, 'Sooner'), before: first.id });
      expect(outcome).toMatchObject({ interaction: { user_message: 'Sooner' } });
      expect(await queueOf(uid)).toEqual([second.id, first.id]);
    });

    it('need a place in the same queue', async () => {
      const { active, rows, uid } = await waiting(3);
      const other = await waiting(1);
      const [first, second, third] = [rows[0]!, rows[1]!, rows[2]!];
      await tested.store.requestCancel(third.id, 'user');
      const places = [active.id, third.id, first.id, other.rows[0]!.id, 'int_none'];
      for (const before of places) {
        const changes = { ...textOf(first, 'Lost'), before };
        expect([before, await change(first, changes)]).toEqual([
          before,
          { outcome: 'unknown_place' },
        ]);
      }
      expect(await tested.store.findInteraction(first.id)).toEqual(first);
      expect((await queueOf(uid)).slice(0, 2)).toEqual([first.id, second.id]);
    });

    it('are refused for one that has begun, is being cancelled, or is of others', async () => {
      const { active, rows, uid } = await waiting(2);
      const [first, second] = [rows[0]!, rows[1]!];
      expect(await change(active, textOf(active, 'No'))).toEqual(NOT_QUEUED);
      await tested.store.requestCancel(second.id, 'user');
      const cancelled = await tested.store.findInteraction(second.id, ANY_TENANT);
      expect(await change(second, { ...textOf(second, 'No'), before: null })).toEqual(NOT_QUEUED);
      expect(await tested.store.findInteraction(second.id)).toEqual(cancelled);
      expect(await change({ ...first, tenant_id: 'other' }, textOf(first, 'No'))).toEqual(
        NOT_QUEUED,
      );
      expect(await change({ ...first, id: chatId() }, { before: null })).toEqual(NOT_QUEUED);
      await tested.store.append([endBatch(active.id, 2)]);
      expect((await tested.store.findActiveInteraction(uid))?.id).toBe(first.id);
      expect(await change(first, { before: null })).toEqual(NOT_QUEUED);
    });

    it('come before its beginning, or not at all', async () => {
      for (let i = 0; i < 8; i++) {
        const { active, chat_id, rows, uid } = await waiting(2);
        const [first] = rows;
        const [outcome] = await Promise.all([
          change(first!, textOf(first!, 'Just in time')),
          tested.store.append([endBatch(active.id, 2)]),
          tested.store.promoteQueued(at(40), uid),
        ]);
        const [record] = await readAll(tested.store, first!.id);
        const said = outcome.outcome === 'changed' ? 'Just in time' : first!.user_message;
        expect(record?.body).toMatchObject({ chat_id, user_message: said });
        const row = await tested.store.findInteraction(first!.id, LOCAL);
        expect(row?.user_message).toBe(said);
      }
    });

    it('leave each of many concurrent moves a place', async () => {
      const { rows, uid } = await waiting(6);
      const moves = rows.map((row, i) => change(row, { before: rows[(i + 1) % 6]!.id }));
      const edits = rows.map((row) => change(row, textOf(row, `Now ${row.id}`)));
      const outcomes = await Promise.all([...moves, ...edits]);
      expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['changed']));
      expect(new Set(await queueOf(uid))).toEqual(new Set(rows.map(({ id }) => id)));
      for (const { id } of rows)
        expect((await tested.store.findInteraction(id))?.user_message).toBe(`Now ${id}`);
    });
  });
}
