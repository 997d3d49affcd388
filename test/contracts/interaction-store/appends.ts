import { uidOf } from '../../support/store/chat-parts.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import {
  acquireOnceFree,
  at,
  ended,
  endBatch,
  exchange,
  HELD,
  interactionId,
  LAPSING,
  newBatch,
  newEnd,
  newRecord,
  newStart,
  readAll,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const HOSTILE = `NUL \u0000, high \ud800, low \udc00, lines \u2028\u2029\r\n, "\\", \u007f, 🦜`;

export function describeAppends(tested: StoreUnderTest): void {
  describe('appending', () => {
    it('has the records in the log once it answers, in order and without a gap (I1)', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      const batches = [newBatch(id, [2, 4]), newBatch(id, [5, 5]), newBatch(id, [6, 20])];
      for (const batch of batches) {
        expect(await tested.store.append([batch])).toEqual(['written']);
        const log = await readAll(tested.store, id);
        expect(log.slice(-batch.records.length)).toEqual(batch.records);
        const last = log.at(-1)?.seq;
        expect(log.map((record) => record.seq)).toEqual(log.map((_, i) => i + 1));
        expect((await tested.store.findInteraction(id))?.last_seq).toBe(last);
      }
    });

    it('gives back exactly what was written, whatever the characters', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      const body = { type: 'MESSAGE', block_id: 'b1', content: HOSTILE } as const;
      const hidden = { zeta: 1, alpha: [HOSTILE, { [HOSTILE]: null }], '': 1e21, n: 0.1 };
      const record = newRecord(id, 2, { body, hidden, key: 'root/1' });
      const rest = [0, '', false, [], 'text', null].map((value, i) =>
        newRecord(id, i + 3, { hidden: value, key: null }),
      );
      const end = newEnd(HOSTILE);
      const batch = { interaction_id: id, epoch: 1, records: [record, ...rest], end };
      expect(await tested.store.append([batch])).toEqual(['written']);
      const log = await readAll(tested.store, id);
      expect(log.slice(1)).toEqual([record, ...rest]);
      expect(JSON.stringify(log[1]?.body)).toBe(JSON.stringify(body));
      expect(JSON.stringify(log[1]?.hidden)).toBe(JSON.stringify(hidden));
      expect(await tested.store.findAddedMessages([id])).toEqual(
        new Map([[id, exchange(HOSTILE)]]),
      );
    });

    it('takes a record of a megabyte', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      const content = 'ü\u0000🦜x'.repeat(200_000);
      const body = { type: 'MESSAGE', block_id: 'b1', content } as const;
      const records = [newRecord(id, 2, { body }), newRecord(id, 3)];
      await tested.store.append([{ interaction_id: id, epoch: 1, records }]);
      const log = await tested.store.readRecords(id, { after: 1, limit: 10 });
      expect(log[0]?.body.type === 'MESSAGE' && log[0].body.content === content).toBe(true);
      expect(log[1]).toEqual(records[1]);
    });

    it('sets status and usage with the records that imply them', async () => {
      const { id } = await started(tested.store, { lease: HELD });
      const usage = {
        ...{ input_tokens: 10, output_tokens: 5 },
        ...{ cached_tokens: 6, cache_write_tokens: 2, reasoning_tokens: 0 },
        cost_usd: 0.000_125,
      };
      await tested.store.append([newBatch(id, [2, 2], { status: 'WAITING_INPUT', usage })]);
      expect(await tested.store.findInteraction(id)).toMatchObject({
        status: 'WAITING_INPUT',
        usage,
        last_seq: 2,
      });
      await tested.store.append([newBatch(id, [3, 3])]);
      const row = await tested.store.findInteraction(id);
      expect(row).toMatchObject({ status: 'WAITING_INPUT', usage, last_seq: 3 });
    });

    describeEnds(tested);
    describeGroups(tested);
    describeRepeats(tested);
    describeFencing(tested);
  });
}

function describeEnds(tested: StoreUnderTest): void {
  it('ends the interaction, and its chat is free at once', async () => {
    const row = await started(tested.store, { lease: HELD });
    const error = { code: 'model_unavailable', message: 'It said 503.' };
    const end = newEnd('one', { status: 'FAILED', error, completed_at: at(50) });
    const usage = { input_tokens: 7, output_tokens: 8 };
    const batch = { ...endBatch(row.id, 2, { end }), usage };
    expect(await tested.store.append([batch])).toEqual(['written']);
    const next = await tested.store.startInteraction(newStart({ chat_id: row.chat_id }));
    expect(next).toMatchObject({ outcome: 'started', interaction: { parent_id: row.id } });
    expect(await tested.store.findInteraction(row.id)).toEqual({
      ...row,
      status: 'FAILED',
      error,
      usage,
      completed_at: at(50),
      last_seq: 2,
    });
  });

  it('shows readers the whole append or nothing of it', async () => {
    const row = await started(tested.store, { lease: HELD });
    let done = false;
    const appended = tested.store
      .append([
        {
          ...newBatch(row.id, [2, 9]),
          usage: { input_tokens: 3, output_tokens: 4 },
          end: newEnd('one'),
        },
      ])
      .finally(() => (done = true));
    while (!done) await expectWholeOrNothing(tested, row);
    await appended;
    await expectWholeOrNothing(tested, row);
  });
}

async function expectWholeOrNothing(tested: StoreUnderTest, row: InteractionRow): Promise<void> {
  const seen = await tested.store.findInteraction(row.id);
  const after = seen?.status === 'COMPLETED';
  expect([seen?.last_seq, seen?.usage.input_tokens]).toEqual(after ? [9, 3] : [1, 0]);
  if (!after) return;
  expect(await readAll(tested.store, row.id)).toHaveLength(9);
  expect((await tested.store.findAddedMessages([row.id])).size).toBe(1);
}

function describeGroups(tested: StoreUnderTest): void {
  it('commits many interactions in one group and answers in order', async () => {
    const rows = await Promise.all(
      Array.from({ length: 100 }, () => started(tested.store, { lease: HELD })),
    );
    const batches = rows.map(({ id }, i) =>
      i % 3 === 0 ? newBatch(id, [2, 3], { epoch: 0 }) : newBatch(id, [2, 4]),
    );
    const outcomes = await tested.store.append(batches);
    expect(outcomes).toEqual(rows.map((_, i) => (i % 3 === 0 ? 'fenced' : 'written')));
    const lasts = await tested.store.readLastSeqs(rows.map(({ id }) => id));
    expect([...lasts]).toEqual(
      expect.arrayContaining(rows.map(({ id }, i) => [id, i % 3 === 0 ? 1 : 4])),
    );
  });

  it('serves overlapping groups', async () => {
    const rows = await Promise.all(
      Array.from({ length: 8 }, () => started(tested.store, { lease: HELD })),
    );
    const groups = [rows, rows.toReversed(), rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))];
    const appends = groups.map((group) =>
      tested.store.append(group.map(({ id }) => newBatch(id, [2, 2]))),
    );
    for (const outcomes of await Promise.all(appends))
      expect(new Set(outcomes)).toEqual(new Set(['written']));
    for (const { id } of rows) expect(await readAll(tested.store, id)).toHaveLength(2);
  });

  it.each([12.5, 1e300, NaN, Infinity])('refuses %d as a number of tokens', async (count) => {
    const { id } = await started(tested.store, { lease: HELD });
    const usage = { input_tokens: count, output_tokens: 1 };
    expect(await tested.store.append([newBatch(id, [2, 2], { usage })])).toEqual([
      expect.objectContaining({ code: 'store_refused' }),
    ]);
    expect(await tested.store.append([newBatch(id, [2, 2])])).toEqual(['written']);
  });

  it('takes as many tokens as a number can count', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    const usage = { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 4e9 };
    expect(await tested.store.append([newBatch(id, [2, 2], { usage })])).toEqual(['written']);
    expect(await tested.store.findInteraction(id)).toMatchObject({ usage });
  });

  it('hurts no neighbour of a batch that can’t be written', async () => {
    const [first, broken, last] = await Promise.all(
      Array.from({ length: 3 }, () => started(tested.store, { lease: HELD })),
    );
    if (!first || !broken || !last) throw new Error('unreachable');
    const bad = {
      ...newBatch(broken.id, [2, 2]),
      records: [newRecord(broken.id, 2, { hidden: 1n })],
    };
    const good = [newBatch(first.id, [2, 3]), newBatch(last.id, [2, 3])];
    const refused = expect.objectContaining({ code: 'store_refused' });
    expect(await tested.store.append([good[0]!, bad, good[1]!])).toEqual([
      ...['written', refused, 'written'],
    ]);
    for (const { interaction_id } of good)
      expect(await readAll(tested.store, interaction_id)).toHaveLength(3);
    expect(await tested.store.append([bad])).toEqual([refused]);
    expect(await readAll(tested.store, broken.id)).toHaveLength(1);
    expect(await tested.store.append([newBatch(broken.id, [2, 2])])).toEqual(['written']);
  });
}

function describeRepeats(tested: StoreUnderTest): void {
  it('counts a repeat by the same run as written, and writes it once', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    const batch = newBatch(id, [2, 4]);
    await tested.store.append([batch]);
    expect(await tested.store.append([batch])).toEqual(['written']);
    expect(await readAll(tested.store, id)).toHaveLength(4);
  });

  it('writes the rest of a batch that is in the log in part', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    await tested.store.append([newBatch(id, [2, 3])]);
    const usage = { input_tokens: 1, output_tokens: 1 };
    expect(await tested.store.append([newBatch(id, [2, 5], { usage })])).toEqual(['written']);
    const log = await readAll(tested.store, id);
    expect(log.map((record) => record.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(await tested.store.findInteraction(id)).toMatchObject({ usage, last_seq: 5 });
  });

  it('counts a repeated end as written', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    const batch = endBatch(id, 2);
    await tested.store.append([batch]);
    const row = await tested.store.findInteraction(id);
    expect(await tested.store.append([batch])).toEqual(['written']);
    expect(await tested.store.findInteraction(id)).toEqual(row);
  });

  it('never leaves a gap (I1)', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    const outcome = await tested.store.append([newBatch(id, [3, 4])]).catch(() => ['rejected']);
    expect(outcome).not.toEqual(['written']);
    expect(await readAll(tested.store, id)).toHaveLength(1);
    expect(await tested.store.findInteraction(id)).toMatchObject({ last_seq: 1 });
  });
}

function describeFencing(tested: StoreUnderTest): void {
  it('fences off a run whose lease another one has taken (I6)', async () => {
    const { id } = await started(tested.store, { lease: LAPSING });
    await acquireOnceFree(tested.store, id);
    const late = newBatch(id, [2, 3], { epoch: 1, status: 'WAITING_INPUT' });
    expect(await tested.store.append([late])).toEqual(['fenced']);
    expect(await tested.store.append([endBatch(id, 2)])).toEqual(['fenced']);
    expect(await readAll(tested.store, id)).toHaveLength(1);
    expect(await tested.store.findInteraction(id)).toMatchObject({
      status: 'RUNNING',
      last_seq: 1,
    });
    expect(await tested.store.append([newBatch(id, [2, 2], { epoch: 2 })])).toEqual(['written']);
    expect((await readAll(tested.store, id)).map((record) => record.epoch)).toEqual([1, 2]);
  });

  it('lets a run whose lease has lapsed write until another one takes it', async () => {
    const { id } = await started(tested.store, { lease: HELD });
    await tested.store.releaseLease(id, 1);
    expect(await tested.store.append([newBatch(id, [2, 2])])).toEqual(['written']);
  });

  it('keeps the epochs of a log in order while runs race for it (I6)', async () => {
    const { id } = await started(tested.store, { lease: LAPSING });
    const taken = acquireOnceFree(tested.store, id);
    let next = 2;
    while ((await tested.store.append([newBatch(id, [next, next])]))[0] === 'written') next++;
    const { interaction } = await taken;
    expect(interaction.last_seq).toBe(next - 1);
    const batch = newBatch(id, [next, next], { epoch: interaction.epoch });
    expect(await tested.store.append([batch])).toEqual(['written']);
    const epochs = (await readAll(tested.store, id)).map((record) => record.epoch);
    expect(epochs).toEqual([...Array<number>(next - 1).fill(1), 2]);
  });

  it('fences off what belongs to a chat that is gone', async () => {
    const row = await ended(tested.store, 'one');
    await tested.store.deleteChat(uidOf(row.chat_id));
    const batches = [newBatch(row.id, [3, 3]), newBatch(interactionId(), [2, 2])];
    expect(await tested.store.append(batches)).toEqual(['fenced', 'fenced']);
    expect(await readAll(tested.store, row.id)).toEqual([]);
  });
}
