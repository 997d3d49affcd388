import { LOCAL, uidOf } from '../../support/store/chat-parts.js';
import type { RetryInteraction } from '../../../src/persistence/rows/start-rows.js';
import {
  acquireOnceFree,
  at,
  chatId,
  endBatch,
  ended,
  exchange,
  HELD,
  LAPSING,
  newBatch,
  newEnd,
  newRequest,
  queued,
  readAll,
  started,
} from './fixtures.js';
import type { StartOverrides } from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const ERROR = { code: 'crash_loop', message: 'Lost too often.' };
const RESUMED = { type: 'RESUMED', attempt: 1, reason: 'retried' } as const;

export function describeRetries(tested: StoreUnderTest): void {
  const retryOf = (interaction_id: string): RetryInteraction => ({
    ...{ interaction_id, tenant_id: LOCAL.tenant_id },
    ...{ codes: ['log_unreadable', 'crash_loop'], resumed: RESUMED, at: at(95) },
  });
  const retry = (id: string) => tested.store.retryInteraction(retryOf(id));
  /** Starts one and gives it up: records 1 and 2. */
  const givenUp = async (overrides: StartOverrides = {}, error = ERROR) => {
    const row = await started(tested.store, { lease: HELD, ...overrides });
    const end = newEnd('failed', { status: 'FAILED', error });
    await tested.store.append([endBatch(row.id, 2, { end })]);
    return row;
  };
  const find = async (id: string) => (await tested.store.findInteraction(id))!;

  describe('a retry', () => {
    it('goes on with the log, without the data of the end', async () => {
      const { id, chat_id } = await givenUp();
      const failed = await find(id);
      const outcome = await retry(id);
      const row = { ...failed, status: 'RUNNING', error: null, completed_at: null };
      const interaction = { ...row, last_seq: 3, epoch: 2 };
      expect(outcome).toEqual({ outcome: 'retried', interaction });
      await tested.reopen();
      expect(await find(id)).toEqual(interaction);
      expect((await tested.store.findActiveInteraction(uidOf(chat_id)))?.id).toBe(id);
      expect((await tested.store.findAddedMessages([id])).has(id)).toBe(false);
      expect((await tested.store.findLastBegun(uidOf(chat_id)))?.id).toBe(id);
      const log = await readAll(tested.store, id);
      expect(log.map(({ seq, epoch, body }) => [seq, epoch, body.type])).toEqual([
        [1, 1, 'INTERACTION_STARTED'],
        [2, 1, 'INTERACTION_COMPLETE'],
        [3, 2, 'RESUMED'],
      ]);
      const { agent_id } = failed;
      expect(log[2]).toMatchObject({
        agent_id,
        key: null,
        hidden: null,
        body: RESUMED,
        at: at(95),
      });
    });

    it('ends once more, with other messages', async () => {
      const { id, chat_id } = await givenUp();
      await retry(id);
      const lease = await acquireOnceFree(tested.store, id);
      expect(lease).toMatchObject({ interaction: { epoch: 3 }, lost_owner: null, parked: false });
      const end = newEnd('well', { completed_at: at(99) });
      expect(await tested.store.append([endBatch(id, 4, { epoch: 3, end })])).toEqual(['written']);
      await tested.reopen();
      const row = { status: 'COMPLETED', error: null, completed_at: at(99), last_seq: 4 };
      expect(await find(id)).toMatchObject(row);
      expect((await tested.store.findAddedMessages([id])).get(id)).toEqual(exchange('well'));
      const next = await started(tested.store, { chat_id });
      expect(await tested.store.getPreviousState(next.id)).toEqual(exchange('well'));
    });

    it('is wanted by no run of before (I6)', async () => {
      const { id } = await givenUp();
      await retry(id);
      expect(await tested.store.append([newBatch(id, [4, 4])])).toEqual(['fenced']);
      const unowned = await tested.store.listUnowned(10_000);
      const counters = { losses: 0, alone_losses: 0, trial: 0 };
      expect(unowned.find((each) => each.id === id)).toEqual({ id, is_lost: false, ...counters });
    });

    it('forgets losses and cancels', async () => {
      const { id } = await started(tested.store, { lease: LAPSING });
      for (const trial of [1, 1]) await acquireOnceFree(tested.store, id, { ...LAPSING, trial });
      await tested.store.requestCancel(id, 'user');
      const end = newEnd('failed', { status: 'FAILED', error: ERROR });
      await tested.store.append([endBatch(id, 2, { epoch: 3, end })]);
      await retry(id);
      const lease = await acquireOnceFree(tested.store, id);
      const counters = { losses: 0, alone_losses: 0 };
      expect(lease).toMatchObject({ ...counters, interaction: { cancel_reason: null } });
    });

    it('opens the requests again that were open at the end', async () => {
      const row = await started(tested.store, { lease: HELD });
      const [open, settled] = [newRequest(2), newRequest(3)];
      await tested.store.append([newBatch(row.id, [2, 3], { requests: [open, settled] })]);
      const settlement = {
        kind: 'input',
        answer: 'Yes.',
        by: { kind: 'user', user_id: 'ann' },
      } as const;
      await tested.store.settleRequest({ request_id: settled.id, settlement, at: at(5) });
      const end = newEnd('failed', { status: 'FAILED', error: ERROR });
      await tested.store.append([endBatch(row.id, 4, { end })]);
      await retry(row.id);
      for (const reopen of [false, true]) {
        if (reopen) await tested.reopen();
        expect(await tested.store.findRequest(open.id)).toMatchObject({
          ...{ status: 'pending', settled_at: null },
        });
        expect(await tested.store.findRequest(settled.id)).toMatchObject({
          ...{ status: 'settled', settled_at: at(5) },
        });
      }
      const answer = { request_id: open.id, settlement, at: at(97) };
      expect(await tested.store.settleRequest(answer)).toMatchObject({ outcome: 'settled' });
    });

    it('is refused unless the server gave it up', async () => {
      const refused = { outcome: 'not_given_up' };
      expect(await retry((await ended(tested.store, 'well')).id)).toEqual(refused);
      const other = await givenUp({}, { code: 'max_iterations', message: 'Too many.' });
      expect(await retry(other.id)).toEqual(refused);
      expect(await retry('int_gone')).toBeUndefined();
    });

    it('is refused while the chat is busy, also with its own second run (I9)', async () => {
      const chat_id = chatId();
      const { id } = await givenUp({ chat_id });
      const active = await started(tested.store, { chat_id });
      const busy = { outcome: 'busy', active_interaction_id: active.id };
      expect(await retry(id)).toEqual(busy);
      await queued(tested.store, { chat_id });
      expect(await retry(id)).toEqual(busy);
      const own = (await givenUp()).id;
      const outcomes = await Promise.all([retry(own), retry(own)]);
      expect(new Set(outcomes.map((each) => each?.outcome))).toEqual(new Set(['busy', 'retried']));
      expect((await find(own)).last_seq).toBe(3);
    });

    it('is refused when the chat has gone on without it', async () => {
      const chat_id = chatId();
      const { id } = await givenUp({ chat_id });
      await ended(tested.store, 'next', { chat_id });
      expect(await retry(id)).toEqual({ outcome: 'not_head' });
    });
  });
}
