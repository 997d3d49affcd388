import { uidOf } from '../../support/store/chat-parts.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import {
  at,
  chatId,
  ended,
  endBatch,
  exchange,
  HELD,
  interactionId,
  newEnd,
  newStart,
  queued,
  readAll,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

export function describeBranches(tested: StoreUnderTest): void {
  describe('branches', () => {
    it('lets an edit start from the state before the edited one, and tells where it comes from', async () => {
      const [one, two] = await conversation(tested, 'one', 'two', 'three');
      const { chat_id } = one;
      const edit = await started(tested.store, {
        ...{ chat_id, edited_from: two.id, created_at: at(30) },
      });
      expect(edit).toMatchObject({ parent_id: one.id, edited_from: two.id, superseded_at: null });
      expect(await tested.store.findInteraction(edit.id)).toEqual(edit);
      const [record] = await readAll(tested.store, edit.id);
      expect(record?.body).toMatchObject({ parent_id: one.id, edited_from: two.id });
      expect(await tested.store.getPreviousState(edit.id)).toEqual(exchange('one'));
      const chat = await tested.store.findChat(chat_id);
      expect(chat).toMatchObject({ head_interaction_id: edit.id, updated_at: at(30) });
    });

    it.each([
      ['the first', 0, []],
      ['a middle one', 1, [0]],
      ['the last', 2, [0, 1]],
    ] as const)('supersedes what an edit of %s leaves behind', async (_, edited, stays) => {
      const rows = await conversation(tested, 'one', 'two', 'three');
      const { chat_id } = rows[0];
      const edited_from = rows[edited].id;
      const edit = await started(tested.store, { chat_id, edited_from, created_at: at(30) });
      const on = stays.map((i) => rows[i].id);
      expect(await active(tested, chat_id)).toEqual([...on, edit.id]);
      for (const { id } of rows) {
        const superseded_at = on.includes(id) ? null : at(30);
        expect(await tested.store.findInteraction(id)).toMatchObject({ superseded_at });
      }
      const before = await everything(tested, chat_id);
      expect(before.rows).toHaveLength(4);
      await tested.reopen();
      expect(await everything(tested, chat_id)).toEqual(before);
    });

    it('keeps the time since when something is superseded', async () => {
      const [one, two] = await conversation(tested, 'one', 'two', 'three');
      const { chat_id } = one;
      const edit = await ended(tested.store, 'edit', {
        ...{ chat_id, edited_from: two.id, created_at: at(30) },
      });
      await started(tested.store, { chat_id, edited_from: edit.id, created_at: at(40) });
      const since = async (id: string) => (await tested.store.findInteraction(id))?.superseded_at;
      expect([await since(one.id), await since(two.id), await since(edit.id)]).toEqual([
        null,
        at(30),
        at(40),
      ]);
    });

    it('edits what is superseded, back onto its branch', async () => {
      const [one, two, three] = await conversation(tested, 'one', 'two', 'three');
      const { chat_id } = one;
      const edit = await ended(tested.store, 'edit', { chat_id, edited_from: two.id });
      const again = await started(tested.store, { chat_id, edited_from: three.id });
      expect(again.parent_id).toBe(two.id);
      expect(await active(tested, chat_id)).toEqual([one.id, two.id, again.id]);
      expect((await tested.store.findInteraction(edit.id))?.superseded_at).not.toBeNull();
    });

    it('goes on from the edit', async () => {
      const [one, two] = await conversation(tested, 'one', 'two', 'three');
      const edit = await ended(tested.store, 'edit', { chat_id: one.chat_id, edited_from: two.id });
      const next = await started(tested.store, { chat_id: one.chat_id });
      expect(next).toMatchObject({ parent_id: edit.id, edited_from: null });
      const before = [...exchange('one'), ...exchange('edit')];
      expect(await tested.store.getPreviousState(next.id)).toEqual(before);
    });

    describeRefusedEdits(tested);
    describeQueuedEdits(tested);
    describeNeverBegun(tested);
    describeSwitching(tested);
  });
}

function describeRefusedEdits(tested: StoreUnderTest): void {
  it('knows no edit of what is not in this chat', async () => {
    const elsewhere = await ended(tested.store, 'one');
    const { chat_id } = await started(tested.store);
    for (const edited_from of [elsewhere.id, interactionId()]) {
      for (const on_conflict of ['reject', 'interrupt'] as const) {
        const start = newStart({ chat_id, edited_from, on_conflict });
        const outcome = await tested.store.startInteraction(start);
        expect(outcome).toEqual({ outcome: 'unknown_edit' });
      }
    }
    expect(await tested.store.listUnfinished(uidOf(chat_id))).toHaveLength(1);
  });

  it('tells an edit of what is queued from one of what is not there', async () => {
    const { chat_id } = await started(tested.store);
    const waiting = await queued(tested.store, { chat_id });
    for (const on_conflict of ['reject', 'interrupt'] as const) {
      const start = newStart({ chat_id, edited_from: waiting.id, on_conflict });
      expect(await tested.store.startInteraction(start)).toEqual({ outcome: 'edits_queued' });
    }
    expect(await tested.store.listUnfinished(uidOf(chat_id))).toHaveLength(2);
  });

  it('makes no chat for an edit', async () => {
    const start = newStart({ edited_from: interactionId() });
    expect(await tested.store.startInteraction(start)).toEqual({ outcome: 'unknown_edit' });
    expect(await tested.store.findChat(start.chat.id)).toBeUndefined();
  });

  it('looks at the idempotency key before the edited one, and at that before the chat', async () => {
    const row = await ended(tested.store, 'one');
    const { chat_id } = row;
    const idempotency = { key: 'k', fingerprint: 'f' };
    const edit = { chat_id, edited_from: row.id, idempotency };
    const first = await started(tested.store, edit);
    const repeat = newStart({ ...edit, edited_from: interactionId() });
    expect(await tested.store.startInteraction(repeat)).toEqual({
      outcome: 'repeated',
      interaction: first,
    });
    const busy = newStart({ chat_id, edited_from: row.id });
    expect(await tested.store.startInteraction(busy)).toEqual({
      outcome: 'busy',
      active_interaction_id: first.id,
    });
  });
}

function describeQueuedEdits(tested: StoreUnderTest): void {
  it('lets an edit interrupt, and supersedes once it begins', async () => {
    const [one, two] = await conversation(tested, 'one', 'two', 'three');
    const { chat_id } = one;
    const running = await started(tested.store, { chat_id, lease: HELD });
    const edit = await queued(tested.store, {
      ...{ chat_id, edited_from: two.id, on_conflict: 'interrupt' },
    });
    const waiting = await queued(tested.store, { chat_id });
    expect(edit).toMatchObject({ parent_id: one.id, edited_from: two.id, last_seq: 0 });
    expect((await tested.store.findInteraction(two.id))?.superseded_at).toBeNull();
    const end = newEnd('four', { status: 'CANCELLED', completed_at: at(60) });
    await tested.store.append([endBatch(running.id, 2, { end })]);

    const row = await tested.store.findActiveInteraction(uidOf(chat_id));
    expect(row).toEqual({ ...edit, status: 'RUNNING', last_seq: 1 });
    const [record] = await readAll(tested.store, edit.id);
    expect(record).toMatchObject({
      at: at(60),
      body: { parent_id: one.id, edited_from: two.id },
    });
    expect(await active(tested, chat_id)).toEqual([one.id, edit.id, waiting.id]);
    for (const { id } of [two, running])
      expect((await tested.store.findInteraction(id))?.superseded_at).toBe(at(60));
    const before = await everything(tested, chat_id);
    await tested.reopen();
    expect(await everything(tested, chat_id)).toEqual(before);
  });

  it('edits the active one', async () => {
    const first = await started(tested.store, { lease: HELD });
    const { chat_id } = first;
    const edit = await queued(tested.store, {
      ...{ chat_id, edited_from: first.id, on_conflict: 'interrupt' },
    });
    await tested.store.append([endBatch(first.id, 2)]);
    expect(await tested.store.findActiveInteraction(uidOf(chat_id))).toMatchObject({
      id: edit.id,
      parent_id: null,
    });
    expect(await tested.store.getPreviousState(edit.id)).toEqual([]);
    expect(await active(tested, chat_id)).toEqual([edit.id]);
  });
}

/**
 * What was cancelled in the queue has a place in the conversation all the same: after what was its
 * chat's head then.
 */
function describeNeverBegun(tested: StoreUnderTest): void {
  it('goes on from where the chat was when an edited one was cancelled before it began', async () => {
    const one = await ended(tested.store, 'one', { created_at: at(10) });
    const { chat_id } = one;
    const two = await started(tested.store, { chat_id, lease: HELD, created_at: at(11) });
    const [cancelled, three] = [
      await queued(tested.store, { chat_id, created_at: at(12) }),
      await queued(tested.store, { chat_id, created_at: at(13) }),
    ];
    await cancelInQueue(tested, cancelled, at(20));
    const left = await tested.store.findInteraction(cancelled.id);
    expect(left).toMatchObject({ parent_id: two.id, superseded_at: at(20) });
    expect((await tested.store.findChat(chat_id))?.head_interaction_id).toBe(two.id);
    expect((await tested.store.findInteraction(two.id))?.superseded_at).toBeNull();
    await tested.store.append([endBatch(two.id, 2, { end: newEnd('two') })]);
    await endBegun(tested, three);
    expect(await active(tested, chat_id)).toEqual([one.id, two.id, three.id]);
    await tested.reopen();
    expect(await tested.store.findInteraction(cancelled.id)).toEqual(left);

    const edited = { chat_id, edited_from: cancelled.id, created_at: at(99) };
    const edit = await started(tested.store, edited);
    expect(edit.parent_id).toBe(two.id);
    const before = [...exchange('one'), ...exchange('two')];
    expect(await tested.store.getPreviousState(edit.id)).toEqual(before);
    expect(await active(tested, chat_id)).toEqual([one.id, two.id, edit.id]);
    expect((await tested.store.findInteraction(cancelled.id))?.superseded_at).toBe(at(20));
    expect((await tested.store.findInteraction(three.id))?.superseded_at).toBe(at(99));
  });

  it('takes the head that there is when it is first cancelled, not when it was queued', async () => {
    const one = await started(tested.store, { lease: HELD });
    const { chat_id } = one;
    const two = await queued(tested.store, { chat_id });
    const three = await queued(tested.store, { chat_id });
    const cancelled = await queued(tested.store, { chat_id });
    await tested.store.append([endBatch(one.id, 2)]);
    const marked = await tested.store.requestCancel(cancelled.id, 'user');
    expect(marked?.parent_id).toBe(two.id);
    await endBegun(tested, two);
    expect((await tested.store.findChat(chat_id))?.head_interaction_id).toBe(three.id);
    await cancelInQueue(tested, cancelled, at(20));
    expect((await tested.store.findInteraction(cancelled.id))?.parent_id).toBe(two.id);
  });

  it.each([
    ['the first one', 0],
    ['a later one', 1],
  ] as const)(
    'keeps the parent of an edit of %s that was cancelled before it began',
    async (_, n) => {
      const rows = await conversation(tested, 'one', 'two', 'three');
      const { chat_id } = rows[0];
      await started(tested.store, { chat_id, lease: HELD });
      const edit = await queued(tested.store, {
        ...{ chat_id, edited_from: rows[n].id, on_conflict: 'interrupt' },
      });
      await cancelInQueue(tested, edit, at(50));
      const parent_id = n === 0 ? null : rows[0].id;
      expect(await tested.store.findInteraction(edit.id)).toMatchObject({ parent_id });
      const before = await active(tested, chat_id);
      expect(before.slice(0, 3)).toEqual(rows.map(({ id }) => id));
    },
  );

  it('is never the head', async () => {
    const { id, chat_id } = await started(tested.store, { lease: HELD });
    const cancelled = await queued(tested.store, { chat_id });
    expect(await tested.store.switchHead(uidOf(chat_id), cancelled.id, at(50))).toBe('unknown');
    await cancelInQueue(tested, cancelled, at(20));
    await tested.store.append([endBatch(id, 2)]);
    const before = await everything(tested, chat_id);
    expect(await tested.store.switchHead(uidOf(chat_id), cancelled.id, at(50))).toBe('unknown');
    expect(await everything(tested, chat_id)).toEqual(before);
  });
}

function describeSwitching(tested: StoreUnderTest): void {
  it('switches to another branch and back', async () => {
    const [one, two, three] = await conversation(tested, 'one', 'two', 'three');
    const { chat_id } = one;
    const edit = await ended(tested.store, 'edit', {
      ...{ chat_id, edited_from: two.id, created_at: at(30) },
    });
    expect(await tested.store.switchHead(uidOf(chat_id), three.id, at(50))).toBe('switched');
    expect(await active(tested, chat_id)).toEqual([one.id, two.id, three.id]);
    expect((await tested.store.findInteraction(edit.id))?.superseded_at).toBe(at(50));
    expect((await tested.store.findChat(chat_id))?.head_interaction_id).toBe(three.id);
    await tested.reopen();
    expect(await active(tested, chat_id)).toEqual([one.id, two.id, three.id]);
    expect(await tested.store.switchHead(uidOf(chat_id), edit.id, at(51))).toBe('switched');
    expect(await active(tested, chat_id)).toEqual([one.id, edit.id]);
    const next = await started(tested.store, { chat_id });
    expect(next.parent_id).toBe(edit.id);
  });

  it('switches back to an ancestor, from which the chat then goes on', async () => {
    const [one, two] = await conversation(tested, 'one', 'two', 'three');
    const { chat_id } = one;
    expect(await tested.store.switchHead(uidOf(chat_id), one.id, at(50))).toBe('switched');
    expect(await active(tested, chat_id)).toEqual([one.id]);
    const next = await started(tested.store, { chat_id, created_at: at(51) });
    expect(next.parent_id).toBe(one.id);
    await tested.reopen();
    expect(await active(tested, chat_id)).toEqual([one.id, next.id]);
    expect((await tested.store.findInteraction(two.id))?.superseded_at).toBe(at(50));
  });

  it('changes nothing by switching to the head', async () => {
    const [one, , three] = await conversation(tested, 'one', 'two', 'three');
    const before = await everything(tested, one.chat_id);
    expect(await tested.store.switchHead(uidOf(one.chat_id), three.id, at(50))).toBe('switched');
    expect((await everything(tested, one.chat_id)).rows).toEqual(before.rows);
  });

  it('switches to nothing that is not in this chat', async () => {
    const [one] = await conversation(tested, 'one', 'two', 'three');
    const elsewhere = await ended(tested.store, 'other');
    const before = await everything(tested, one.chat_id);
    for (const id of [elsewhere.id, interactionId()])
      expect(await tested.store.switchHead(uidOf(one.chat_id), id, at(50))).toBe('unknown');
    expect(await tested.store.switchHead(uidOf(chatId()), one.id, at(50))).toBe('unknown');
    expect(await everything(tested, one.chat_id)).toEqual(before);
  });

  it('switches nothing while one is active or queued', async () => {
    const [one] = await conversation(tested, 'one', 'two', 'three');
    const { chat_id } = one;
    const running = await started(tested.store, { chat_id, lease: HELD });
    expect(await tested.store.switchHead(uidOf(chat_id), one.id, at(50))).toBe('busy');
    const waiting = await queued(tested.store, { chat_id });
    await tested.store.requestCancel(waiting.id, 'user');
    await tested.store.append([endBatch(running.id, 2)]);
    expect(await tested.store.switchHead(uidOf(chat_id), one.id, at(50))).toBe('busy');
    expect((await tested.store.findChat(chat_id))?.head_interaction_id).toBe(running.id);
  });
}

/** Three that have ended, one after the other. */
async function conversation(
  tested: StoreUnderTest,
  ...texts: readonly [string, string, string]
): Promise<[InteractionRow, InteractionRow, InteractionRow]> {
  const chat_id = chatId();
  const [one, two, three] = texts;
  return [
    await ended(tested.store, one, { chat_id, created_at: at(10) }),
    await ended(tested.store, two, { chat_id, created_at: at(11) }),
    await ended(tested.store, three, { chat_id, created_at: at(12) }),
  ];
}

async function cancelInQueue(
  tested: StoreUnderTest,
  { id }: InteractionRow,
  completed_at: string,
): Promise<void> {
  await tested.store.requestCancel(id, 'user');
  const lease = await tested.store.acquireLease(id, HELD);
  const end = newEnd('never', { status: 'CANCELLED', completed_at });
  const batch = endBatch(id, 1, { epoch: lease!.interaction.epoch, end });
  expect(await tested.store.append([batch])).toEqual(['written']);
}

/** What was queued and has begun meanwhile. */
async function endBegun(tested: StoreUnderTest, { id }: InteractionRow): Promise<void> {
  const lease = await tested.store.acquireLease(id, HELD);
  await tested.store.append([endBatch(id, 2, { epoch: lease!.interaction.epoch })]);
}

/** The active branch and what is queued, oldest first. */
async function active(tested: StoreUnderTest, chatId: string): Promise<string[]> {
  const page = { chat_uid: uidOf(chatId), superseded: false, limit: 99 };
  return (await tested.store.listInteractions(page)).map(({ id }) => id).toReversed();
}

async function everything(tested: StoreUnderTest, chatId: string) {
  const page = { chat_uid: uidOf(chatId), superseded: true, limit: 99 };
  return {
    chat: await tested.store.findChat(chatId),
    rows: await tested.store.listInteractions(page),
  };
}
