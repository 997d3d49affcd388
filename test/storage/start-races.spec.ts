import type { QueryRunner } from 'typeorm';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import { at, ended, newStart, queued, started } from '../contracts/interaction-store/fixtures.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`Starts and promotions at once on Postgres${fault ? `: ${fault}` : ''}`, () => {
  let tested: TestDatabase;

  beforeAll(async () => {
    tested = await openTestPostgres();
  });

  afterAll(() => tested.close());

  it('finds a chat busy that becomes so behind its back (I9)', async () => {
    const store = typeOrmStore(tested.database);
    const row = await ended(store, 'one');
    const runner = await beginTransaction(tested);
    await runner.query("UPDATE interactions SET status = 'RUNNING' WHERE id = $1", [row.id]);
    const starting = store.startInteraction(newStart({ chat_id: row.chat_id }));
    while ((await countWaiting(tested)) === 0);
    await runner.commitTransaction();
    await runner.release();
    expect(await starting).toEqual({ outcome: 'busy', active_interaction_id: row.id });
  });

  it('begins an edit that comes while the one before it ends', async () => {
    const store = typeOrmStore(tested.database);
    const { id, chat_id, chat_uid } = await started(store);
    const runner = await beginTransaction(tested);
    await runner.query('SELECT FROM chats WHERE uid = $1 FOR UPDATE', [chat_uid]);
    const end = "UPDATE interactions SET status = 'FAILED', completed_at = now() WHERE id = $1";
    await runner.query(end, [id]);
    const edit = newStart({ chat_id, edited_from: id, on_conflict: 'enqueue' });
    let isOver = false;
    const editing = store.startInteraction(edit).finally(() => (isOver = true));
    while (!isOver && (await countWaiting(tested)) === 0);
    await runner.commitTransaction();
    await runner.release();
    expect(await editing).toMatchObject({ outcome: 'started' });
  });

  it('begins one of a queue, though two do it at once (I9)', async () => {
    const store = typeOrmStore(tested.database);
    const { id, chat_id, chat_uid } = await started(store);
    const waiting = [await queued(store, { chat_id }), await queued(store, { chat_id })];
    const end = "UPDATE interactions SET status = 'FAILED', completed_at = now() WHERE id = $1";
    await tested.database.query({ text: end }, [id]);
    const runner = await beginTransaction(tested);
    await runner.query('SELECT FROM chats WHERE uid = $1 FOR UPDATE', [chat_uid]);
    const promoting = [1, 2].map(() => store.promoteQueued(at(9), chat_uid));
    while ((await countWaiting(tested)) < promoting.length);
    await runner.commitTransaction();
    await runner.release();
    expect((await Promise.all(promoting)).flat()).toEqual([waiting[0]!.id]);
    const rows = await store.listUnfinished(chat_uid);
    expect(rows.map(({ status }) => status)).toEqual(['RUNNING', 'QUEUED']);
  });
});

/** Of another process, which holds the rows that it changes. */
async function beginTransaction({ database }: TestDatabase): Promise<QueryRunner> {
  const runner = database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT set_config('parley.tenant', '*', true)");
  return runner;
}

/** The number of statements that wait for a lock. */
async function countWaiting({ database }: TestDatabase): Promise<number> {
  const text =
    'SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()';
  return (await database.query({ text }, [])).length;
}
