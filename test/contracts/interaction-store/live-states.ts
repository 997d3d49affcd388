import { ANY_TENANT } from '../../../src/persistence/any-tenant.js';
import { LOCAL, uidOf } from '../../support/store/chat-parts.js';
import {
  acquireOnceFree,
  at,
  ended,
  endBatch,
  HELD,
  newBatch,
  newChat,
  newEnd,
  newRequest,
  queued,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const STATUSES = ['QUEUED', 'RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT'] as const;

export function describeLiveStates(tested: StoreUnderTest): void {
  const stateOf = async (chatId: string) => {
    const uid = uidOf(chatId);
    return (await tested.store.readStates([uid])).get(uid);
  };
  const begunIn = (chatId: string, after?: string) =>
    tested.store.listBegun(uidOf(chatId), 10, after);
  /** Cancels a queued interaction and ends it as its run does. */
  const endInQueue = async (id: string) => {
    await tested.store.requestCancel(id, 'user');
    const { interaction } = await acquireOnceFree(tested.store, id);
    const end = newEnd('never', { status: 'CANCELLED' });
    const batch = { ...endBatch(id, 1, { end }), epoch: interaction.epoch };
    expect(await tested.store.append([batch])).toEqual(['written']);
  };

  describe('the state of a chat', () => {
    it('tells what runs, waits and is asked in it', async () => {
      const chat = newChat({ title: 'Plans' });
      await tested.store.createChat(chat);
      const { uid, id, tenant_id, owner, visibility } = chat;
      const named = { uid, id, tenant_id, owner, visibility, title: 'Plans' };
      const empty = { active_interaction_id: null, head_interaction_id: null, status: null };
      const nothing = {
        ...named,
        ...empty,
        updated_at: at(0),
        queued: [],
        queue_changes: [],
        request_ids: [],
      };
      expect(await stateOf(id)).toEqual(nothing);

      const active = await started(tested.store, { chat_id: id, lease: HELD });
      const [second, first] = [
        await queued(tested.store, { chat_id: id }),
        await queued(tested.store, { chat_id: id, on_conflict: 'interrupt' }),
      ];
      const requests = [newRequest(2, { created_at: at(3) }), newRequest(1)];
      const status = 'WAITING_APPROVAL';
      await tested.store.append([newBatch(active.id, [2, 2], { status, requests })]);
      expect(await stateOf(id)).toEqual({
        ...named,
        ...{ active_interaction_id: active.id, head_interaction_id: active.id, status },
        ...{ updated_at: at(1), queued: [first.id, second.id], queue_changes: [0, 0] },
        request_ids: requests
          .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
          .map((request) => request.id),
      });
      await tested.store.append([endBatch(active.id, 3)]);
      expect(await stateOf(id)).toMatchObject({
        ...{ active_interaction_id: first.id, status: 'RUNNING' },
        ...{ queued: [second.id], request_ids: [] },
      });
    });

    it('has the status of its head while nothing runs, and is not there once it is deleted', async () => {
      const { chat_id } = await ended(tested.store, 'done');
      expect(await stateOf(chat_id)).toMatchObject({ status: 'COMPLETED', queued: [] });
      await tested.store.deleteChat(uidOf(chat_id));
      expect(await stateOf(chat_id)).toBeUndefined();
    });

    it('lists chats of a tenant that are new, or in which something runs or waits', async () => {
      const since = '2031-01-01T00:00:00.000Z';
      const running = await started(tested.store);
      const { chat_id } = await ended(tested.store, 'done');
      const fresh = newChat({ created_at: since });
      await tested.store.createChat(fresh);
      const live = await tested.store.listLive([LOCAL.tenant_id], since);
      expect(live).toEqual(expect.arrayContaining([uidOf(running.chat_id), fresh.uid]));
      expect(live).not.toContain(uidOf(chat_id));
      expect(await tested.store.listLive(['other'], since)).toEqual([]);
    });
  });

  describe('the order of beginning', () => {
    it('is that of the starts and promotions, whatever the clocks say', async () => {
      const a = await started(tested.store, { lease: HELD, created_at: at(50) });
      const { chat_id } = a;
      const c = await queued(tested.store, { chat_id, created_at: at(40) });
      const dropped = await queued(tested.store, { chat_id, created_at: at(39) });
      const b = await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
      expect(await begunIn(chat_id)).toEqual([a.id]);
      await endInQueue(dropped.id);
      await tested.store.append([endBatch(a.id, 2)]);
      expect(await begunIn(chat_id)).toEqual([a.id, dropped.id, b.id]);
      await acquireOnceFree(tested.store, b.id);
      await tested.store.append([endBatch(b.id, 2)]);
      await tested.reopen();
      expect(await begunIn(chat_id)).toEqual([a.id, dropped.id, b.id, c.id]);
      expect(await begunIn(chat_id, dropped.id)).toEqual([b.id, c.id]);
      expect(await begunIn(chat_id, c.id)).toEqual([]);
      expect(await tested.store.listBegun(uidOf(chat_id), 1, a.id)).toEqual([dropped.id]);
      const last = await tested.store.findLastBegun(uidOf(chat_id));
      expect(last).toEqual({ id: c.id, last_seq: 1 });
    });

    it('has nothing in an empty chat', async () => {
      const chat = newChat();
      await tested.store.createChat(chat);
      expect(await begunIn(chat.id)).toEqual([]);
      expect(await tested.store.findLastBegun(chat.uid)).toBeUndefined();
    });
  });

  describe('the list of runs', () => {
    it('has the active and queued interactions that the viewer sees, oldest first', async () => {
      const ann = { tenant_id: 'runs', user_id: 'ann', is_admin: false };
      const [b, a] = [
        await started(tested.store, { viewer: ann, created_at: at(20) }),
        await started(tested.store, { viewer: ann, created_at: at(10) }),
      ];
      const { chat_id, chat_uid } = b;
      const c = await queued(tested.store, { viewer: ann, chat_id, created_at: at(30) });
      const list = async (more: object = {}) => {
        const page = { viewer: ann, statuses: STATUSES, limit: 10, ...more };
        const ids = await tested.store.listRunIds(page);
        expect((await tested.store.listRuns(page)).map(({ id }) => id)).toEqual(ids);
        return ids;
      };
      expect(await list()).toEqual([a.id, b.id, c.id]);
      expect(await list({ limit: 2 })).toEqual([a.id, b.id]);
      expect(await list({ after: { created_at: at(10), id: a.id } })).toEqual([b.id, c.id]);
      expect(await list({ statuses: ['QUEUED'] })).toEqual([c.id]);
      expect(await list({ chat_uid })).toEqual([b.id, c.id]);
      expect(await list({ viewer: { ...ann, user_id: 'bob' } })).toEqual([]);
      expect(await list({ viewer: { ...ann, user_id: 'bob', is_admin: true } })).toHaveLength(3);
      expect(await list({ viewer: LOCAL, chat_uid })).toEqual([]);
      expect(await list({ viewer: ANY_TENANT, chat_uid })).toEqual([b.id, c.id]);
      const all = await list({ viewer: ANY_TENANT, limit: 1_000 });
      expect(all.filter((id) => [a.id, b.id, c.id].includes(id))).toEqual([a.id, b.id, c.id]);
    });

    it('ends a page that has too many bytes', async () => {
      const viewer = { tenant_id: 'long-runs', user_id: 'ann', is_admin: false };
      const made: string[] = [];
      for (const [n, length] of [10, 30_000, 30_000, 10].entries()) {
        const start = { viewer, created_at: at(n), user_message: 'x'.repeat(length) };
        made.push((await started(tested.store, start)).id);
      }
      const list = async (bytes: number) =>
        (await tested.store.listRuns({ viewer, statuses: STATUSES, limit: 4, bytes })).map(
          ({ id }) => id,
        );
      expect(await list(1_000_000)).toEqual(made);
      expect(await list(50_000)).toEqual(made.slice(0, 3));
      expect(await list(20_000)).toEqual(made.slice(0, 2));
      expect(await list(0)).toEqual(made.slice(0, 1));
    });
  });
}
