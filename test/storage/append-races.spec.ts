import { StoreRefused } from '../../src/persistence/store-refused.error.js';
import type { AppendBatch } from '../../src/persistence/rows/append-rows.js';
import { AppendQueries } from '../../src/storage/typeorm/append/append-records.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import {
  HELD,
  LAPSING,
  newBatch,
  newRecord,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import { runs } from '../support/thoroughness.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`${AppendQueries.name} on Postgres${fault ? `: ${fault}` : ''}`, () => {
  let tested: TestDatabase;
  let store: WholeStore;

  beforeAll(async () => {
    tested = await openTestPostgres();
    store = typeOrmStore(tested.database);
  });

  afterAll(() => tested.close());

  const startMany = (count: number, lease = HELD) =>
    Promise.all(Array.from({ length: count }, () => started(store, { lease })));

  it('lets no record of a run that lost its lease appear after the next run has read the log (I6)', async () => {
    const seen = { written: 0, fenced: 0 };
    for (let round = 0; round < runs(100) || Math.min(seen.written, seen.fenced) <= 5; round++)
      await Promise.all([0, 1, 2].map(() => raceTakeOver(store, seen)));
  });

  it('writes two groups over the same interactions in opposite order, and neither waits for ever', async () => {
    const rows = await startMany(100);
    const usages = [1, 2].map((input_tokens) => ({ input_tokens, output_tokens: 0 }));
    for (let round = 0; round < runs(20); round++) {
      const seq = round + 2;
      const [there, back] = usages.map((usage) =>
        rows.map(({ id }) => newBatch(id, [seq, seq], { usage })),
      );
      const outcomes = await Promise.all([store.append(there!), store.append(back!.toReversed())]);
      expect(new Set(outcomes.flat())).toEqual(new Set(['written']));
    }
    const lasts = await store.readLastSeqs(rows.map(({ id }) => id));
    expect(new Set(lasts.values())).toEqual(new Set([runs(20) + 1]));
  });

  it('appends while leases are renewed, taken and cancelled', async () => {
    const rows = await startMany(50);
    const held = rows.map(({ id }) => ({ interaction_id: id, epoch: 1 }));
    for (let seq = 2; seq < 22; seq++) {
      const [outcomes, renewed] = await Promise.all([
        store.append(rows.map(({ id }) => newBatch(id, [seq, seq]))),
        store.renewLeases(held.toReversed(), HELD),
        store.renewLeases(held, HELD),
        ...rows.slice(0, 5).map(({ id }) => store.requestCancel(id, 'stop')),
      ]);
      expect(outcomes.every((outcome) => outcome === 'written')).toBe(true);
      expect(renewed).toHaveLength(50);
    }
  });

  it('lets nobody wait for a neighbour whose row is held', async () => {
    const [first, held, last] = await startMany(3);
    const runner = tested.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query("SELECT set_config('parley.tenant', '*', true)");
    await runner.query('SELECT FROM interactions WHERE id = $1 FOR UPDATE', [held!.id]);
    const appended = store.append([first!, held!, last!].map(({ id }) => newBatch(id, [2, 2])));
    while ((await store.readLastSeqs([last!.id])).get(last!.id) !== 2);
    expect((await store.readLastSeqs([first!.id])).get(first!.id)).toBe(2);
    await runner.commitTransaction();
    await runner.release();
    expect(await appended).toEqual(['written', 'written', 'written']);
  });

  it('gives up on a row that stays held, as something to try again', async () => {
    const [first, held] = await startMany(2);
    const runner = tested.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query("SELECT set_config('parley.tenant', '*', true)");
    await runner.query('SELECT FROM interactions WHERE id = $1 FOR UPDATE', [held!.id]);
    const batches = [first!, held!].map(({ id }) => newBatch(id, [2, 2]));
    await expect(store.append(batches)).rejects.toMatchObject({ code: 'store_unavailable' });
    await runner.rollbackTransaction();
    await runner.release();
    expect(await store.append(batches)).toEqual(['written', 'written']);
  });

  it('writes ten thousand records in one append, whatever their characters', async () => {
    const [row] = await startMany(1);
    const content = `NUL \u0000 high \ud800 low \udc00 "\\" 🦜`;
    const body = { type: 'MESSAGE', block_id: 'b', content } as const;
    const records = Array.from({ length: 10_000 }, (_, i) =>
      newRecord(row!.id, i + 2, { body, hidden: { [content]: i } }),
    );
    expect(await store.append([{ interaction_id: row!.id, epoch: 1, records }])).toEqual([
      'written',
    ]);
    expect((await readAll(store, row!.id)).slice(1)).toEqual(records);
  });

  /** Updates of interactions so far; all connections have told of theirs. */
  const readUpdates = async (): Promise<{ all: number; in_place: number }> => {
    await tested.reopen();
    store = typeOrmStore(tested.database);
    const [updates] = await tested.database.query<{ all: number; in_place: number }>(
      {
        text: `SELECT n_tup_upd::integer AS all, n_tup_hot_upd::integer AS in_place FROM pg_stat_user_tables WHERE relname = 'interactions'`,
      },
      [],
    );
    return updates!;
  };

  const shareInPlace = async (): Promise<number> => {
    const rows = await startMany(20);
    const before = await readUpdates();
    for (let seq = 2; seq < 30; seq++) {
      await store.append(rows.map(({ id }) => newBatch(id, [seq, seq])));
      await store.renewLeases(
        rows.map(({ id }) => ({ interaction_id: id, epoch: 1 })),
        HELD,
      );
    }
    const after = await readUpdates();
    expect(after.all - before.all).toBeGreaterThan(1000);
    return (after.in_place - before.in_place) / (after.all - before.all);
  };

  it('updates rows in place, without touching an index', async () => {
    // a transaction in any database of the server keeps old versions, which fill the pages
    let best = 0;
    for (let round = 0; round < 8 && best <= 0.9; round++)
      best = Math.max(best, await shareInPlace());
    expect(best).toBeGreaterThan(0.9);
  });
});

/**
 * A group of one run is under way while another run takes over one of its interactions and reads
 * its log.
 */
async function raceTakeOver(
  store: WholeStore,
  seen: { written: number; fenced: number },
): Promise<void> {
  const rows = await Promise.all(
    Array.from({ length: 20 }, () => started(store, { lease: LAPSING })),
  );
  const { id } = rows[Math.floor(Math.random() * rows.length)]!;
  const body = { type: 'MESSAGE', block_id: 'b', content: 'x'.repeat(2000) } as const;
  const late = rows.map((row): AppendBatch => {
    const records = Array.from({ length: 10 }, (_, i) => newRecord(row.id, i + 2, { body }));
    return { interaction_id: row.id, epoch: 1, records };
  });
  const appended = store.append(late);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  const lease = await store.acquireLease(id, HELD);
  const last = lease!.interaction.last_seq;
  const read = await readAll(store, id);
  const outcome = (await appended)[rows.findIndex((row) => row.id === id)]!;
  if (outcome instanceof StoreRefused) throw outcome;
  seen[outcome]++;
  expect(await readAll(store, id)).toEqual(read);
  expect(read).toHaveLength(outcome === 'written' ? 11 : 1);
  expect(last).toBe(read.length);
  expect(await store.append([newBatch(id, [last + 1, last + 1], { epoch: 2 })])).toEqual([
    'written',
  ]);
}
