import { LOCAL, uidOf } from '../../support/store/chat-parts.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import { MAX_QUEUED } from '../../../src/persistence/rows/start-rows.js';
import type { StartOverrides } from './fixtures.js';
import {
  at,
  chatId,
  ended,
  endBatch,
  exchange,
  HELD,
  newBatch,
  newEnd,
  newStart,
  ownerOf,
  queued,
  readAll,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';
import { listUnowned } from '../../support/store/list-unowned.js';

export function describeQueueing(tested: StoreUnderTest): void {
  describe('queueing', () => {
    it('lets an interaction wait: it has no record, no parent, and leaves the chat alone', async () => {
      const active = await started(tested.store, { lease: HELD });
      const chat = await tested.store.findChat(active.chat_id);
      const start = newStart({
        ...{ chat_id: active.chat_id, on_conflict: 'enqueue', created_at: at(9), lease: HELD },
      });
      const outcome = await tested.store.startInteraction(start);
      const interaction = {
        ...start.interaction,
        ...ownerOf(start),
        parent_id: null,
        edited_from: null,
        status: 'QUEUED',
        usage: { input_tokens: 0, output_tokens: 0 },
        error: null,
        completed_at: null,
        superseded_at: null,
        last_seq: 0,
        epoch: 0,
        signals: 0,
        cancel_reason: null,
        cancelled_by: null,
        waits_for: null,
      };
      expect(outcome).toEqual({ outcome: 'queued', interaction, interrupted: null });
      const { id } = start.interaction;
      expect(await tested.store.findInteraction(id)).toEqual(interaction);
      expect(await tested.store.findActiveInteraction(uidOf(active.chat_id))).toEqual(active);
      expect(await tested.store.findChat(active.chat_id)).toEqual(chat);
      expect(await readAll(tested.store, id)).toEqual([]);
      expect(await tested.store.readLastSeqs([id])).toEqual(new Map([[id, 0]]));
      expect(await tested.store.getPreviousState(id)).toEqual([]);
      expect(await tested.store.acquireLease(id, HELD)).toBeUndefined();
    });

    it('starts at once in a chat that is free, whatever is to be done about conflicts', async () => {
      for (const on_conflict of ['reject', 'enqueue', 'interrupt'] as const) {
        const start = newStart({ on_conflict });
        expect((await tested.store.startInteraction(start)).outcome).toBe('started');
      }
    });

    it('lists the active one, then the queued ones in order', async () => {
      const active = await started(tested.store);
      const { chat_id } = active;
      const first = await queued(tested.store, { chat_id });
      const second = await queued(tested.store, { chat_id });
      const urgent = await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
      const third = await queued(tested.store, { chat_id });
      const mostUrgent = await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
      const order = [active, mostUrgent, urgent, first, second, third].map(({ id }) => id);
      expect(await unfinished(tested, chat_id)).toEqual(order);
      expect(await tested.store.listUnfinished(uidOf(chatId()))).toEqual([]);
      await tested.reopen();
      expect(await unfinished(tested, chat_id)).toEqual(order);
    });

    it('lists queued ones among the newest of the chat', async () => {
      const active = await started(tested.store);
      const waiting = await queued(tested.store, { chat_id: active.chat_id });
      const page = { chat_uid: uidOf(active.chat_id), superseded: false, limit: 9 };
      const rows = await tested.store.listInteractions(page);
      expect(rows.map(({ id }) => id)).toEqual([waiting.id, active.id]);
    });

    it('is bounded', async () => {
      const { id, chat_id } = await started(tested.store, { lease: HELD });
      for (let i = 0; i < MAX_QUEUED; i++) await queued(tested.store, { chat_id });
      for (const on_conflict of ['enqueue', 'interrupt'] as const) {
        const late = newStart({ chat_id, on_conflict });
        expect(await tested.store.startInteraction(late)).toEqual({ outcome: 'queue_full' });
        expect(await tested.store.findInteraction(late.interaction.id)).toBeUndefined();
      }
      expect((await tested.store.findInteraction(id))?.cancel_reason).toBeNull();
      await tested.store.append([endBatch(id, 2)]);
      await queued(tested.store, { chat_id });
    });

    it('answers a repeated key with the one that waits', async () => {
      const { chat_id } = await started(tested.store);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const interaction = await queued(tested.store, { chat_id, idempotency });
      const repeat = newStart({ chat_id, idempotency });
      expect(await tested.store.startInteraction(repeat)).toEqual({
        outcome: 'repeated',
        interaction,
      });
      expect(await tested.store.listUnfinished(uidOf(chat_id))).toHaveLength(2);
    });

    it('keeps the chat busy, for deleting it too', async () => {
      const { chat_id } = await started(tested.store, { lease: HELD });
      await queued(tested.store, { chat_id });
      expect(await tested.store.deleteChat(uidOf(chat_id))).toBe('busy');
    });

    it('gives each of many concurrent starts a place of its own', async () => {
      const { chat_id } = await started(tested.store);
      const starts = Array.from({ length: 30 }, (_, i) =>
        newStart({ chat_id, on_conflict: i % 2 ? 'enqueue' : 'interrupt' }),
      );
      const outcomes = await Promise.all(starts.map((s) => tested.store.startInteraction(s)));
      expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['queued']));
      expect(new Set(await unfinished(tested, chat_id)).size).toBe(31);
    });

    describeInterrupting(tested);
    describePromotion(tested);
    describeCancelledInQueue(tested);
  });
}

function describeInterrupting(tested: StoreUnderTest): void {
  it('marks what it interrupts, and counts a signal', async () => {
    const active = await started(tested.store, { lease: HELD });
    const { chat_id } = active;
    const start = newStart({ chat_id, on_conflict: 'interrupt' });
    const outcome = await tested.store.startInteraction(start);
    expect(outcome).toMatchObject({ outcome: 'queued', interrupted: active.id });
    const cancel_reason = 'Interrupted by a new message.';
    const marked = { ...active, signals: 1, cancel_reason, cancelled_by: LOCAL.user_id };
    expect(await tested.store.findInteraction(active.id)).toEqual(marked);
    await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
    expect(await tested.store.findInteraction(active.id)).toEqual({ ...marked, signals: 2 });
  });

  it('keeps the reason of an earlier cancel', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    await tested.store.requestCancel(id, 'user');
    await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
    const row = await tested.store.findInteraction(id);
    expect(row).toMatchObject({ signals: 2, cancel_reason: 'user' });
  });

  it('wakes what is parked', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    await tested.store.append([newBatch(id, [2, 2], { status: 'WAITING_INPUT' })]);
    expect(await tested.store.park({ interaction_id: id, epoch: 1, signals: 0 })).toBe(true);
    expect(await tested.store.acquireLease(id, HELD)).toBeUndefined();
    await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
    expect(await tested.store.acquireLease(id, HELD)).toMatchObject({ parked: true });
  });
}

function describePromotion(tested: StoreUnderTest): void {
  it('begins the next when the one before it ends, in the same commit', async () => {
    const active = await ended(tested.store, 'zero');
    const { chat_id } = active;
    const first = await started(tested.store, { chat_id, lease: HELD });
    const start = { chat_id, created_at: at(20), user_message: 'And then?' };
    const waiting = await queued(tested.store, start);
    const later = await queued(tested.store, { chat_id });
    const end = newEnd('one', { completed_at: at(33) });
    expect(await tested.store.append([endBatch(first.id, 2, { end })])).toEqual(['written']);

    const row = { ...waiting, status: 'RUNNING', parent_id: first.id, last_seq: 1 };
    expect(await tested.store.findActiveInteraction(uidOf(chat_id))).toEqual(row);
    expect(await unfinished(tested, chat_id)).toEqual([waiting.id, later.id]);
    const { user_message, agent, agent_id, model } = waiting;
    expect(await readAll(tested.store, waiting.id)).toEqual([
      {
        interaction_id: waiting.id,
        seq: 1,
        epoch: 0,
        agent_id,
        at: at(33),
        key: null,
        body: {
          type: 'INTERACTION_STARTED',
          chat_id,
          user_message,
          agent,
          model,
          parent_id: first.id,
          by: { kind: 'user', user_id: waiting.started_by },
        },
        hidden: null,
      },
    ]);
    expect(await tested.store.findChat(chat_id)).toMatchObject({
      head_interaction_id: waiting.id,
      updated_at: at(33),
    });
    const before = [...exchange('zero'), ...exchange('one')];
    expect(await tested.store.getPreviousState(waiting.id)).toEqual(before);
  });

  it('leaves what it begins unowned, for whoever takes it up', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const waiting = await queued(tested.store, { chat_id, created_at: '1960-01-01T00:00:00.000Z' });
    expect(await listUnowned(tested.store, 1000)).not.toContain(waiting.id);
    await tested.store.append([endBatch(id, 2)]);
    expect(await listUnowned(tested.store, 1)).toEqual([waiting.id]);
    const lease = await tested.store.acquireLease(waiting.id, HELD);
    expect(lease).toMatchObject({ interaction: { epoch: 1 }, lost_owner: null, parked: false });
    expect(await tested.store.append([newBatch(waiting.id, [2, 3])])).toEqual(['written']);
    await tested.store.append([endBatch(waiting.id, 4)]);
    const seqs = (await readAll(tested.store, waiting.id)).map(({ seq }) => seq);
    expect(seqs).toEqual([1, 2, 3, 4]);
  });

  it('begins them one after the other, in order, through restarts', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const second = await queued(tested.store, { chat_id });
    const first = await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
    await tested.store.append([endBatch(id, 2)]);
    const order: string[] = [];
    for (;;) {
      await tested.reopen();
      const row = await tested.store.findActiveInteraction(uidOf(chat_id));
      if (!row) break;
      order.push(row.id);
      await endNow(tested, row);
    }
    expect(order).toEqual([first.id, second.id]);
    expect((await tested.store.findInteraction(second.id))?.parent_id).toBe(first.id);
  });

  it('begins nothing twice, whatever ends and whoever looks', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const waiting = await queued(tested.store, { chat_id });
    await queued(tested.store, { chat_id });
    expect(await tested.store.promoteQueued(at(40), uidOf(chat_id))).toEqual([]);
    const batch = endBatch(id, 2);
    const looks = Array.from({ length: 5 }, () =>
      tested.store.promoteQueued(at(41), uidOf(chat_id)),
    );
    await Promise.all([tested.store.append([batch]), ...looks]);
    expect(await tested.store.append([batch])).toEqual(['written']);
    expect(await tested.store.promoteQueued(at(42))).not.toContain(waiting.id);
    expect((await tested.store.findActiveInteraction(uidOf(chat_id)))?.id).toBe(waiting.id);
    expect(await readAll(tested.store, waiting.id)).toHaveLength(1);
    expect(await tested.store.listUnfinished(uidOf(chat_id))).toHaveLength(2);
    expect(await tested.store.promoteQueued(at(43), uidOf(chatId()))).toEqual([]);
  });

  it('promotes for each of many that end in one group', async () => {
    const rows = await Promise.all(
      Array.from({ length: 20 }, () => started(tested.store, { lease: HELD })),
    );
    const next = await Promise.all(rows.map(({ chat_id }) => queued(tested.store, { chat_id })));
    const promoted: string[] = [];
    const stopListening = tested.store.onPromoted((id) => promoted.push(id));
    const outcomes = await tested.store.append(rows.map(({ id }) => endBatch(id, 2)));
    expect(new Set(outcomes)).toEqual(new Set(['written']));
    expect(promoted.toSorted()).toEqual(next.map(({ id }) => id).toSorted());
    stopListening();
    const active = rows.map(({ chat_id }) => tested.store.findActiveInteraction(uidOf(chat_id)));
    expect((await Promise.all(active)).map((row) => row?.id)).toEqual(next.map(({ id }) => id));
  });

  it('tells whom an end promotes, as long as somebody listens', async () => {
    const promoted: string[] = [];
    const stopListening = tested.store.onPromoted((id) => promoted.push(id));
    const alone = await started(tested.store, { lease: HELD });
    await tested.store.append([endBatch(alone.id, 2)]);
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const next = await queued(tested.store, { chat_id });
    const last = await queued(tested.store, { chat_id });
    const batch = endBatch(id, 2);
    await tested.store.append([batch]);
    expect(promoted).toEqual([next.id]);
    await tested.store.append([batch]);
    expect(new Set(promoted)).toEqual(new Set([next.id]));
    stopListening();
    await tested.store.acquireLease(next.id, HELD);
    await tested.store.append([endBatch(next.id, 2)]);
    expect((await tested.store.findInteraction(last.id))?.status).toBe('RUNNING');
    expect(promoted).not.toContain(last.id);
  });
}

function describeCancelledInQueue(tested: StoreUnderTest): void {
  it('lets what is queued and to be cancelled be leased and ended, and passes it over', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const created_at = '1961-01-01T00:00:00.000Z';
    const cancelled = await queued(tested.store, { chat_id, created_at });
    const next = await queued(tested.store, { chat_id });
    const marked = await tested.store.requestCancel(cancelled.id, 'user');
    const place = { parent_id: id, signals: 1, cancel_reason: 'user' };
    expect(marked).toEqual({ ...cancelled, ...place });
    expect(await listUnowned(tested.store, 1)).toEqual([cancelled.id]);
    const lease = await tested.store.acquireLease(cancelled.id, HELD);
    expect(lease?.interaction).toEqual({ ...marked, epoch: 1 });
    expect(await listUnowned(tested.store, 1)).not.toEqual([cancelled.id]);
    await tested.store.append([endBatch(id, 2)]);
    expect(await unfinished(tested, chat_id)).toEqual([next.id, cancelled.id]);

    const end = newEnd('never', { status: 'CANCELLED', completed_at: at(50) });
    const batch = endBatch(cancelled.id, 1, { end });
    expect(await tested.store.append([batch])).toEqual(['written']);
    expect(await tested.store.append([batch])).toEqual(['written']);
    expect(await tested.store.findInteraction(cancelled.id)).toEqual({
      ...lease?.interaction,
      ...{ status: 'CANCELLED', completed_at: at(50), superseded_at: at(50), last_seq: 1 },
    });
    expect(await readAll(tested.store, cancelled.id)).toEqual(batch.records);
    const chat = await tested.store.findChat(chat_id);
    expect(chat).toMatchObject({ head_interaction_id: next.id });
    expect(await unfinished(tested, chat_id)).toEqual([next.id]);
    await tested.reopen();
    expect(await tested.store.findChat(chat_id)).toEqual(chat);
    const page = { chat_uid: uidOf(chat_id), superseded: false, limit: 9 };
    const shown = await tested.store.listInteractions(page);
    expect(shown.map((row) => row.id)).toEqual([next.id, id]);
  });

  it('holds a chat whose only unfinished one is to be cancelled, until it has ended', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const cancelled = await queued(tested.store, { chat_id });
    await tested.store.requestCancel(cancelled.id, 'user');
    await tested.store.append([endBatch(id, 2)]);
    expect(await tested.store.findActiveInteraction(uidOf(chat_id))).toBeUndefined();
    expect(await tested.store.promoteQueued(at(60), uidOf(chat_id))).toEqual([]);
    expect(await tested.store.startInteraction(newStart({ chat_id }))).toEqual({
      outcome: 'busy',
      active_interaction_id: cancelled.id,
    });
    await endNow(tested, cancelled, 1);
    const next = await started(tested.store, { chat_id });
    expect(next.parent_id).toBe(id);
  });

  it('lets what waits behind one that was cancelled begin once that has ended', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const cancelled = await queued(tested.store, { chat_id });
    await tested.store.requestCancel(cancelled.id, 'user');
    await tested.store.append([endBatch(id, 2)]);
    const late: StartOverrides = { chat_id, on_conflict: 'interrupt' };
    const outcome = await tested.store.startInteraction(newStart(late));
    expect(outcome).toMatchObject({ outcome: 'queued', interrupted: null });
    await endNow(tested, cancelled, 1);
    const active = await tested.store.findActiveInteraction(uidOf(chat_id));
    expect(active).toMatchObject({ parent_id: id, last_seq: 1 });
    const head = (await tested.store.findChat(chat_id))?.head_interaction_id;
    expect(head).toBe(active?.id);
  });
}

async function unfinished(tested: StoreUnderTest, chatId: string): Promise<string[]> {
  return (await tested.store.listUnfinished(uidOf(chatId))).map(({ id }) => id);
}

async function endNow(tested: StoreUnderTest, { id }: InteractionRow, seq = 2): Promise<void> {
  const lease = await tested.store.acquireLease(id, HELD);
  const epoch = lease?.interaction.epoch ?? 0;
  expect(await tested.store.append([endBatch(id, seq, { epoch })])).toEqual(['written']);
}
