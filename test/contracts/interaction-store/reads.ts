import { messagesOf } from '../../../src/persistence/interaction.store.js';
import { uidOf } from '../../support/store/chat-parts.js';
import {
  at,
  ended,
  endBatch,
  exchange,
  HELD,
  interactionId,
  newBatch,
  newEnd,
  newRecord,
  queued,
  started,
} from './fixtures.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import type { RecordBody } from '../../../src/protocol/events.js';
import type { StoreUnderTest } from './store-under-test.js';

export function describeReads(tested: StoreUnderTest): void {
  describe('reading', () => {
    it('pages through a log', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      await tested.store.append([newBatch(id, [2, 7])]);
      await tested.store.append([newBatch(id, [8, 300])]);
      const page = async (after: number, limit: number) =>
        (await tested.store.readRecords(id, { after, limit })).map((record) => record.seq);
      expect(await page(0, 3)).toEqual([1, 2, 3]);
      expect(await page(3, 3)).toEqual([4, 5, 6]);
      expect(await page(6, 4)).toEqual([7, 8, 9, 10]);
      expect(await page(298, 10)).toEqual([299, 300]);
      expect(await page(300, 10)).toEqual([]);
      expect(await page(9_999, 10)).toEqual([]);
      const seen: number[] = [];
      while (seen.length < 300) seen.push(...(await page(seen.length, 7)));
      expect(seen).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    });

    it('reads no records of an interaction that is not there', async () => {
      expect(await tested.store.readRecords(interactionId(), { after: 0, limit: 10 })).toEqual([]);
    });

    it('reads records of some types, by interaction and then in order', async () => {
      const [first, second, other] = [
        await started(tested.store, { lease: HELD }),
        await started(tested.store, { lease: HELD }),
        await started(tested.store, { lease: HELD }),
      ];
      for (const { id } of [second, first, other]) {
        const thought = { type: 'THINKING', block_id: 't', content: 'hm' } as const;
        const answer = { type: 'ANSWER', block_id: 'a', content: 'yes' } as const;
        const bodies = [thought, { type: 'NOTICE', code: 'c', message: 'm' } as const, answer];
        const records = bodies.map((body, i) => newRecord(id, i + 2, { body }));
        await tested.store.append([{ interaction_id: id, epoch: 1, records }]);
      }
      const ids = [first.id, second.id].toSorted();
      const found = await tested.store.readRecordsOfTypes(
        [...ids, interactionId()],
        ['ANSWER', 'THINKING'],
      );
      const seen = found.map((record) => [record.interaction_id, record.seq, record.body.type]);
      expect(seen).toEqual(
        ids.flatMap((id) => [
          [id, 2, 'THINKING'],
          [id, 4, 'ANSWER'],
        ]),
      );
      expect(found[0]).toEqual(
        (await tested.store.readRecords(ids[0]!, { after: 1, limit: 1 }))[0],
      );
      expect(await tested.store.readRecordsOfTypes([], ['ANSWER'])).toEqual([]);
      expect(await tested.store.readRecordsOfTypes([first.id], [])).toEqual([]);
    });

    describeEvents(tested);
    describeResults(tested);

    it('knows how far each log is', async () => {
      const first = await started(tested.store, { lease: HELD });
      const second = await started(tested.store);
      await tested.store.append([newBatch(first.id, [2, 5])]);
      const asked = [first.id, interactionId(), second.id];
      expect(await tested.store.readLastSeqs(asked)).toEqual(
        new Map([
          [first.id, 5],
          [second.id, 1],
        ]),
      );
      expect(await tested.store.readLastSeqs([])).toEqual(new Map());
    });

    it('lists the interactions of a chat last first, page by page', async () => {
      const first = await ended(tested.store, '0', { created_at: at(0) });
      const { chat_id } = first;
      const made = [first.id];
      for (const second of [1, 1, 1, 4]) {
        made.push((await ended(tested.store, 'n', { chat_id, created_at: at(second) })).id);
      }
      const seen = await pagesOf(tested, { chat_uid: uidOf(chat_id), superseded: false, limit: 2 });
      expect(seen).toEqual(made.toReversed());
      const [newest] = await tested.store.listInteractions({
        chat_uid: uidOf(chat_id),
        superseded: true,
        limit: 1,
      });
      expect(newest).toEqual(await tested.store.findInteraction(made.at(-1)!));
    });

    describeOrder(tested);
    describeConversation(tested);

    it('answers a ping', async () => {
      await expect(tested.store.ping()).resolves.toBeUndefined();
    });
  });
}

function describeEvents(tested: StoreUnderTest): void {
  /** Each body has about `length` bytes. */
  const written = async (lengths: readonly number[]) => {
    const { id } = await started(tested.store, { lease: HELD });
    const records = lengths.map((length, i) => {
      const body = { type: 'MESSAGE', block_id: 'b', content: 'é'.repeat(length / 2) } as const;
      return newRecord(id, i + 2, { body, hidden: { message: 'h'.repeat(1000) } });
    });
    await tested.store.append([{ interaction_id: id, epoch: 1, records }]);
    return id;
  };

  it('pages through events by their number and by their bytes, without what is hidden', async () => {
    const id = await written([100, 100, 50_000, 50_000, 100, 100]);
    const page = async (after: number, limit: number, bytes: number) => {
      const { records, has_more } = await tested.store.readEvents(id, { after, limit, bytes });
      expect(records.map(({ hidden }) => hidden)).toEqual(records.map(() => null));
      return [records.map(({ seq }) => seq), has_more];
    };
    expect(await page(0, 3, 1_000_000)).toEqual([[1, 2, 3], true]);
    expect(await page(1, 9, 10_000)).toEqual([[2, 3], true]);
    expect(await page(3, 9, 10_000)).toEqual([[4], true]);
    expect(await page(3, 9, 60_000)).toEqual([[4], true]);
    expect(await page(4, 9, 60_000)).toEqual([[5, 6, 7], false]);
    expect(await page(5, 9, 0)).toEqual([[6], true]);
    expect(await page(6, 9, 0)).toEqual([[7], false]);
    expect(await page(7, 9, 10_000)).toEqual([[], false]);
    const [, fourth] = (await tested.store.readEvents(id, { after: 2, limit: 9, bytes: 90_000 }))
      .records;
    const [whole] = await tested.store.readRecords(id, { after: 3, limit: 1 });
    expect(fourth).toEqual({ ...whole, hidden: null });
    const { bytes } = await tested.store.readEvents(id, { after: 1, limit: 9, bytes: 90_000 });
    expect(bytes).toBeGreaterThan(50_200);
    expect(bytes).toBeLessThan(51_500);
    const none = { after: 0, limit: 9, bytes: 9 };
    expect(await tested.store.readEvents(interactionId(), none)).toEqual({
      records: [],
      bytes: 0,
      has_more: false,
    });
  });

  it('pages through the records of some types', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    const hidden = { standalone: true } as const;
    const records = Array.from({ length: 6 }, (_, n) => {
      const type = n % 2 === 0 ? 'MESSAGE' : 'ANSWER';
      return newRecord(id, n + 2, { body: { type, block_id: 'b', content: String(n) }, hidden });
    });
    await tested.store.append([{ interaction_id: id, epoch: 1, records }]);
    const types = ['INTERACTION_STARTED', 'ANSWER'] as const;
    const page = (after: number, limit: number) =>
      tested.store.readRecords(id, { after, limit, types });
    const seqs = async (after: number, limit: number) =>
      (await page(after, limit)).map(({ seq }) => seq);
    expect(await seqs(0, 9)).toEqual([1, 3, 5, 7]);
    expect(await seqs(0, 2)).toEqual([1, 3]);
    expect(await seqs(3, 2)).toEqual([5, 7]);
    expect(await seqs(7, 2)).toEqual([]);
    expect((await page(5, 1))[0]).toEqual(records[5]);
  });

  it('keeps a body apart from what is hidden, whatever their keys are', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    const modified_input = { a: ',"hidden":', hidden: { body: 1 }, z: [{ hidden: null }] };
    const body = { type: 'APPROVED', approval_id: 'a', tool_call_id: 't', modified_input } as never;
    const records = [newRecord(id, 2, { body, hidden: { hidden: { hidden: 1 } } })];
    await tested.store.append([{ interaction_id: id, epoch: 1, records }]);
    const { records: read } = await tested.store.readEvents(id, { after: 1, limit: 1, bytes: 1 });
    expect(read).toEqual([{ ...records[0], hidden: null }]);
  });

  it('reads the beginning of several logs, each up to a number of bytes', async () => {
    const long = await written([100, 100, 50_000, 100]);
    const short = await written([100, 100]);
    const empty = await started(tested.store);
    const ids = [short, interactionId(), long, empty.id];
    const found = await tested.store.readEventsOfTypes(ids, ['MESSAGE'], 5_000);
    const seqs = (id: string) => found.get(id)?.records.map(({ seq }) => seq);
    expect([...found.keys()].toSorted()).toEqual([long, short].toSorted());
    expect([seqs(short), found.get(short)!.has_more]).toEqual([[2, 3], false]);
    expect([seqs(long), found.get(long)!.has_more]).toEqual([[2, 3], true]);
    expect((await tested.store.readEventsOfTypes([long], ['NOTICE'], 5_000)).size).toBe(0);
  });
}

function describeResults(tested: StoreUnderTest): void {
  const result = (id: string, tool_output: string) =>
    ({
      type: 'TOOL_RESULT',
      id,
      tool_name: 't',
      tool_output,
      is_error: false,
      duration_ms: 1,
    }) as const;

  it('finds the result of a call on the branch, the nearest one', async () => {
    const made: InteractionRow[] = [];
    const say = async (chat_id: string | undefined, ...bodies: RecordBody[]) => {
      const row = await started(tested.store, { lease: HELD, ...(chat_id && { chat_id }) });
      const records = bodies.map((body, i) =>
        newRecord(row.id, i + 2, { body, hidden: { whole: `whole ${i}` } }),
      );
      await tested.store.append([{ interaction_id: row.id, epoch: 1, records }]);
      await tested.store.append([endBatch(row.id, bodies.length + 2)]);
      made.push(row);
      return row.chat_id;
    };
    const call = { type: 'TOOL_STARTED', id: 'call_2', tool_name: 't' } as const;
    const odd = '","id":"call_x","\0\ud800';
    const chat = await say(undefined, result('call_1', odd), result('call_2', 'two'));
    await say(chat, { type: 'NOTICE', code: 'c', message: '"id":"call_1"' });
    await say(chat, call, result('call_1', 'again'));
    const elsewhere = await say(undefined, result('call_3', 'three'));
    const find = async (at: number, id: string) => {
      const found = await tested.store.findToolResult(made[at]!.id, id);
      return found && [found.interaction_id, found.seq, found.body.tool_output, found.hidden];
    };
    const [one, , three] = made.map(({ id }) => id);
    expect(await find(2, 'call_1')).toEqual([three, 3, 'again', { whole: 'whole 1' }]);
    expect(await find(1, 'call_1')).toEqual([one, 2, odd, { whole: 'whole 0' }]);
    expect(await find(2, 'call_2')).toEqual([one, 3, 'two', { whole: 'whole 1' }]);
    for (const unknown of ['call_3', 'call_x', 'call_', "'"])
      expect(await find(2, unknown)).toBeUndefined();
    expect(elsewhere).not.toBe(chat);
    expect(await tested.store.findToolResult(interactionId(), 'call_1')).toBeUndefined();
  });
}

function describeOrder(tested: StoreUnderTest): void {
  it('lists what is active in the order in which it began, and will begin', async () => {
    const first = await started(tested.store, { lease: HELD });
    const { chat_id } = first;
    const third = await queued(tested.store, { chat_id });
    const second = await queued(tested.store, { chat_id, on_conflict: 'interrupt' });
    const fourth = await queued(tested.store, { chat_id });
    const rows = [first, second, third, fourth];
    const order = rows.map(({ id }) => id).toReversed();
    await expectPages(tested, chat_id, order);
    for (const row of rows) {
      const lease = await tested.store.acquireLease(row.id, HELD);
      const epoch = lease?.interaction.epoch ?? 1;
      await tested.store.append([endBatch(row.id, 2, { epoch })]);
      await expectPages(tested, chat_id, order);
    }
    await tested.reopen();
    await expectPages(tested, chat_id, order);
    const asked = [first, third, second, fourth].map(({ id }) => id).toReversed();
    expect(await pagesOf(tested, { chat_uid: uidOf(chat_id), superseded: true, limit: 3 })).toEqual(
      asked,
    );
  });

  it('lists what is on the active branch before one that is off it', async () => {
    const one = await ended(tested.store, 'one');
    const { chat_id } = one;
    const two = await ended(tested.store, 'two', { chat_id });
    const three = await ended(tested.store, 'three', { chat_id });
    const four = await ended(tested.store, 'four', { chat_id });
    const edit = await ended(tested.store, 'edit', { chat_id, edited_from: two.id });
    const before = async (id: string) => {
      const page = { chat_uid: uidOf(chat_id), superseded: false, limit: 1, before: id };
      return (await tested.store.listInteractions(page)).map((row) => row.id);
    };
    expect(await before(four.id)).toEqual([one.id]);
    expect(await before(three.id)).toEqual([one.id]);
    expect(await before(two.id)).toEqual([one.id]);
    expect(await before(edit.id)).toEqual([one.id]);
    expect(await before(one.id)).toEqual([]);
    expect(await before(interactionId())).toEqual([]);
  });

  it.each([false, true])(
    'ends a page that has too many bytes (superseded: %s)',
    async (superseded) => {
      const chat_id = (await ended(tested.store, '0')).chat_id;
      const made: string[] = [];
      for (const length of [10, 30_000, 30_000, 10]) {
        const user_message = 'x'.repeat(length);
        made.unshift((await ended(tested.store, 'n', { chat_id, user_message })).id);
      }
      const page = async (bytes: number) =>
        (
          await tested.store.listInteractions({
            chat_uid: uidOf(chat_id),
            superseded,
            limit: 4,
            bytes,
          })
        ).map(({ id }) => id);
      expect(await page(1_000_000)).toEqual(made);
      expect(await page(50_000)).toEqual(made.slice(0, 3));
      expect(await page(20_000)).toEqual(made.slice(0, 2));
      expect(await page(0)).toEqual(made.slice(0, 1));
    },
  );
}

async function expectPages(
  tested: StoreUnderTest,
  chat_id: string,
  order: readonly string[],
): Promise<void> {
  for (let limit = 1; limit <= order.length + 1; limit++)
    expect(await pagesOf(tested, { chat_uid: uidOf(chat_id), superseded: false, limit })).toEqual(
      order,
    );
}

/** The ids of all pages, one after the other. */
async function pagesOf(
  tested: StoreUnderTest,
  query: { chat_uid: string; superseded: boolean; limit: number },
): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const before = seen.at(-1);
    const rows = await tested.store.listInteractions({ ...query, ...(before && { before }) });
    expect(rows.length).toBeLessThanOrEqual(query.limit);
    seen.push(...rows.map((row) => row.id));
    if (rows.length < query.limit) return seen;
  }
}

function describeConversation(tested: StoreUnderTest): void {
  it('knows the conversation before an interaction: what its ancestors added', async () => {
    const first = await ended(tested.store, 'one');
    const { chat_id } = first;
    const failed = await started(tested.store, { chat_id, lease: HELD });
    const end = newEnd('two', { status: 'CANCELLED' });
    await tested.store.append([endBatch(failed.id, 2, { end })]);
    const last = await started(tested.store, { chat_id, lease: HELD });
    await ended(tested.store, 'elsewhere');

    expect(await tested.store.getPreviousState(first.id)).toEqual([]);
    expect(await tested.store.getPreviousState(failed.id)).toEqual(exchange('one'));
    const both = [...exchange('one'), ...exchange('two')];
    expect(await tested.store.getPreviousState(last.id)).toEqual(both);
    await tested.store.append([endBatch(last.id, 2, { end: newEnd('three') })]);
    expect(await tested.store.getPreviousState(last.id)).toEqual(both);
    expect(await tested.store.getPreviousState(interactionId())).toEqual([]);
  });

  it('knows the conversation after an interaction, unless it is too long', async () => {
    const first = await ended(tested.store, 'one');
    const { chat_id } = first;
    const second = await ended(tested.store, 'x'.repeat(10_000), { chat_id });
    const last = await started(tested.store, { chat_id, lease: HELD });
    const after = async (id: string, bytes: number) => {
      const state = await tested.store.findFinalState(id, bytes);
      expect(await tested.store.hasFinalState(id, bytes)).toBe(state !== undefined);
      return state;
    };
    const both = [...exchange('one'), ...exchange('x'.repeat(10_000))];
    expect(messagesOf((await after(first.id, 1000))!)).toEqual(exchange('one'));
    const parts = [
      { id: null, messages: [] },
      { id: first.id, messages: exchange('one') },
      { id: second.id, messages: exchange('x'.repeat(10_000)) },
    ];
    expect(await after(second.id, 30_000)).toEqual({ parts, bytes: expect.any(Number) });
    const { bytes } = (await after(second.id, 30_000))!;
    expect(Math.abs(bytes - JSON.stringify(both).length)).toBeLessThan(100);
    expect(await after(second.id, 20_000)).toBeUndefined();
    expect(await after(first.id, 10)).toBeUndefined();
    expect(await after(last.id, 30_000)).toBeUndefined();
    expect(await after(interactionId(), 30_000)).toBeUndefined();
  });

  it('follows a long chain', async () => {
    const first = await ended(tested.store, '0');
    const { chat_id } = first;
    for (let i = 1; i < 40; i++) await ended(tested.store, String(i), { chat_id });
    const last = await started(tested.store, { chat_id });
    const expected = Array.from({ length: 40 }, (_, i) => exchange(String(i))).flat();
    expect(await tested.store.getPreviousState(last.id)).toEqual(expected);
  });

  it('knows what each interaction added, once it has ended', async () => {
    const first = await ended(tested.store, 'one');
    const { chat_id } = first;
    const second = await ended(tested.store, 'two', { chat_id });
    const running = await started(tested.store, { chat_id });
    const added = await tested.store.findAddedMessages([
      second.id,
      running.id,
      interactionId(),
      first.id,
    ]);
    expect(added.size).toBe(2);
    expect(added.get(first.id)).toEqual(exchange('one'));
    expect(added.get(second.id)).toEqual(exchange('two'));
    expect(await tested.store.findAddedMessages([])).toEqual(new Map());
  });
}
