import { uidOf } from '../../support/store/chat-parts.js';
import {
  acquireOnceFree,
  at,
  ended,
  endBatch,
  exchange,
  HELD,
  LAPSING,
  newBatch,
  newChat,
  newStart,
  readAll,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

export function describeRestarts(tested: StoreUnderTest): void {
  describe('after a restart (I3)', () => {
    it('has every chat, interaction and record as they were', async () => {
      const chat = newChat({ title: 'kept', metadata: { z: 1, a: '\ud800' } });
      await tested.store.createChat(chat);
      const first = await ended(tested.store, 'one', { chat_id: chat.id });
      const active = await started(tested.store, { chat_id: chat.id, lease: HELD });
      const usage = { input_tokens: 3, output_tokens: 4 };
      await tested.store.append([newBatch(active.id, [2, 6], { usage, status: 'WAITING_INPUT' })]);
      await tested.store.requestCancel(active.id, 'user');
      await tested.store.updateChat(uidOf(chat.id), { title: 'renamed', updated_at: at(80) });
      const read = async () => ({
        chat: await tested.store.findChat(chat.id),
        rows: await tested.store.listInteractions({
          chat_uid: uidOf(chat.id),
          superseded: true,
          limit: 9,
        }),
        active: await tested.store.findActiveInteraction(uidOf(chat.id)),
        logs: [await readAll(tested.store, first.id), await readAll(tested.store, active.id)],
        state: await tested.store.getPreviousState(active.id),
        added: await tested.store.findAddedMessages([first.id, active.id]),
        lasts: await tested.store.readLastSeqs([first.id, active.id]),
      });
      const before = await read();
      await tested.reopen();
      const after = await read();
      expect(after).toEqual(before);
      expect(JSON.stringify(after)).toBe(JSON.stringify(before));
      expect(after.state).toEqual(exchange('one'));
    });

    it('still knows idempotency keys', async () => {
      const idempotency = { key: 'k', fingerprint: 'f' };
      const row = await ended(tested.store, 'one', { idempotency });
      await tested.reopen();
      const start = newStart({ chat_id: row.chat_id, idempotency });
      const repeated = await tested.store.startInteraction(start);
      expect(repeated).toMatchObject({ outcome: 'repeated', interaction: { id: row.id } });
    });

    it('goes on with an interaction whose run was lost, in a later epoch', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      await tested.store.append([newBatch(id, [2, 3])]);
      await acquireOnceFree(tested.store, id, { owner: 'process-b', ttl_ms: 1 });
      await tested.reopen();
      const lease = await acquireOnceFree(tested.store, id);
      expect(lease).toMatchObject({
        interaction: { epoch: 3, last_seq: 3 },
        lost_owner: 'process-b',
      });
      expect(await tested.store.append([newBatch(id, [4, 4], { epoch: 2 })])).toEqual(['fenced']);
      expect(await tested.store.append([newBatch(id, [4, 4], { epoch: 3 })])).toEqual(['written']);
      expect((await readAll(tested.store, id)).map((record) => record.seq)).toEqual([1, 2, 3, 4]);
    });

    it('knows that a released lease was not lost', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      await tested.store.releaseLease(id, 1);
      await tested.reopen();
      const lease = await tested.store.acquireLease(id, HELD);
      expect(lease).toMatchObject({ interaction: { epoch: 2 }, lost_owner: null });
    });

    it('keeps what has ended ended, and what is deleted deleted', async () => {
      const kept = await ended(tested.store, 'one');
      const gone = await ended(tested.store, 'two');
      await tested.store.deleteChat(uidOf(gone.chat_id));
      await tested.reopen();
      expect(await tested.store.acquireLease(kept.id, HELD)).toBeUndefined();
      expect(await tested.store.append([endBatch(kept.id, 2)])).toEqual(['written']);
      expect(await tested.store.findChat(gone.chat_id)).toBeUndefined();
      expect(await tested.store.findInteraction(gone.id)).toBeUndefined();
      const next = await started(tested.store, { chat_id: kept.chat_id });
      expect(next.parent_id).toBe(kept.id);
    });
  });
}
