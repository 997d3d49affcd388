import type { ClaimedWebhook } from '../../src/persistence/rows/webhook-rows.js';
import type { WebhookOutbox } from '../../src/webhooks/webhook-outbox.js';
import type { WholeStore } from '../support/store/whole-store.js';
import {
  at,
  ended,
  endBatch,
  HELD,
  newBatch,
  newEnd,
  newRequest,
  queued,
  started,
} from './interaction-store/fixtures.js';

export interface OpenedOutbox {
  readonly store: WholeStore;
  readonly outbox: WebhookOutbox;
  /** Closes both and opens them again over the same saved data; undefined: none is saved. */
  readonly reopen?: () => Promise<void>;
  close(): Promise<void>;
}

const ALL = 1000;
const announce = true;

/** What every `WebhookOutbox` must do, and what appends put into it. */
export function webhookOutboxContract(name: string, open: () => Promise<OpenedOutbox>): void {
  describe(`${name} as a WebhookOutbox`, () => {
    let opened: OpenedOutbox;
    const outbox = (): WebhookOutbox => opened.outbox;
    const claim = (second: number, limit = ALL): Promise<ClaimedWebhook[]> =>
      outbox().claim({ at: at(second), until: at(second + 30), limit });
    const ids = (claimed: readonly ClaimedWebhook[]): string[] => claimed.map(({ id }) => id);
    const begin = () => started(opened.store, { lease: HELD });
    /** Ends an interaction of its own at the second. */
    const end = async (second: number): Promise<string> => {
      const { id } = await begin();
      const done = newEnd('done', { completed_at: at(second) });
      await opened.store.append([{ ...endBatch(id, 2, { end: done }), announce }]);
      return `${id}.2`;
    };

    beforeAll(async () => {
      opened = await open();
    });
    afterEach(() => outbox().trim({ failed_before: at(0), max: 0 }));
    afterAll(() => opened.close());

    it('has an entry of each new request and of the end, in the commit that writes them', async () => {
      const { id } = await begin();
      const [one, two] = [newRequest(2), newRequest(3)];
      const asking = { requests: [one, two], status: 'WAITING_INPUT', announce } as const;
      await opened.store.append([newBatch(id, [2, 3], asking)]);
      const of = { interaction_id: id, attempts: 1 };
      expect(await claim(60)).toEqual([
        { ...of, id: one.id, type: 'request_opened', created_at: at(2) },
        { ...of, id: two.id, type: 'request_opened', created_at: at(3) },
      ]);
      await opened.store.append([{ ...endBatch(id, 4), announce }]);
      expect(await claim(90)).toMatchObject([
        { id: one.id, attempts: 2 },
        { id: two.id, attempts: 2 },
        { ...of, id: `${id}.4`, type: 'interaction_complete', created_at: at(90) },
      ]);
    });

    it('has none of what is not announced, fenced off, or asked again', async () => {
      await ended(opened.store, 'silent');
      const { id } = await begin();
      const request = newRequest(2);
      const asking = { requests: [request], announce };
      await opened.store.append([newBatch(id, [2, 2], { ...asking, epoch: 7 })]);
      await opened.store.append([{ ...endBatch(id, 2, { epoch: 7 }), announce }]);
      expect(await claim(100)).toEqual([]);
      await opened.store.append([newBatch(id, [2, 2], asking)]);
      const again = { requests: [newRequest(2)], announce };
      await opened.store.append([newBatch(id, [3, 3], again)]);
      expect(ids(await claim(100))).toEqual([request.id]);
    });

    it('has one of each interaction of a group, and of one that ends in the queue', async () => {
      const rows = [await begin(), await begin()];
      const waiting = await queued(opened.store, { chat_id: rows[0]!.chat_id });
      await opened.store.requestCancel(waiting, 'Enough.');
      await opened.store.acquireLease(waiting.id, HELD);
      const cancelled = newEnd('none', { status: 'CANCELLED', added_messages: [] });
      const request = newRequest(2);
      await opened.store.append([
        newBatch(rows[0]!.id, [2, 2], { requests: [request], announce }),
        { ...endBatch(rows[1]!.id, 2), announce },
        { ...endBatch(waiting.id, 1, { end: cancelled }), announce },
      ]);
      const claimed = ids(await claim(100));
      expect(claimed.toSorted()).toEqual(
        [request.id, `${rows[1]!.id}.2`, `${waiting.id}.1`].toSorted(),
      );
    });

    it('gives each to one claim, the oldest first, until the claim is over', async () => {
      const all = [await end(1), await end(2), await end(3)];
      expect(ids(await claim(0))).toEqual([]);
      const claims = await Promise.all([claim(5, 1), claim(5, 1), claim(5)]);
      expect(claims.flatMap(ids).toSorted()).toEqual(all.toSorted());
      expect(await claim(34)).toEqual([]);
      const again = await claim(35);
      expect(again.map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
      for (const id of all) await outbox().remove(id);
      expect(await outbox().count()).toEqual({ waiting: 0, failed: 0 });
    });

    it('is changed by the newest claim only', async () => {
      const id = await end(1);
      const [old] = await claim(5);
      const [current] = await claim(35);
      await outbox().postpone(old!, at(36));
      expect(await outbox().giveUp(old!, at(36))).toBe(false);
      expect(await claim(64)).toEqual([]);
      await outbox().postpone(current!, at(50));
      expect(ids(await claim(50))).toEqual([id]);
    });

    it('keeps what was given up for a while, without further attempts', async () => {
      await end(1);
      const kept = await end(2);
      const [claimed] = await claim(5, 1);
      expect(await outbox().giveUp(claimed!, at(6))).toBe(true);
      expect(await outbox().count()).toEqual({ waiting: 1, failed: 1 });
      expect(ids(await claim(600))).toEqual([kept]);
      expect(await outbox().trim({ failed_before: at(6), max: 10 })).toBe(0);
      expect(await outbox().count()).toEqual({ waiting: 1, failed: 1 });
      expect(await outbox().trim({ failed_before: at(7), max: 10 })).toBe(0);
      expect(await outbox().count()).toEqual({ waiting: 1, failed: 0 });
    });

    it('drops the oldest of too many', async () => {
      const all = [await end(1), await end(2), await end(3)];
      expect(await outbox().trim({ failed_before: at(0), max: 2 })).toBe(1);
      expect(ids(await claim(5))).toEqual(all.slice(1));
    });

    it('forgets a deleted chat', async () => {
      const { id, chat_uid } = await begin();
      await opened.store.append([{ ...endBatch(id, 2), announce }]);
      const other = await end(1);
      expect(await opened.store.deleteChat(chat_uid)).toBe('deleted');
      expect(ids(await claim(100))).toEqual([other]);
      expect(await outbox().count()).toEqual({ waiting: 1, failed: 0 });
    });

    it('is there after a restart', async () => {
      if (!opened.reopen) return;
      await end(1);
      const [claimed] = await claim(5);
      await outbox().giveUp(claimed!, at(6));
      const due = await end(2);
      const { id } = await begin();
      const request = newRequest(3);
      await opened.store.append([newBatch(id, [2, 2], { requests: [request], announce })]);
      await opened.reopen();
      expect(await outbox().count()).toEqual({ waiting: 2, failed: 1 });
      expect(ids(await claim(100))).toEqual([due, request.id]);
    });
  });
}
