import {
  EMBEDDED_WAIT_MS,
  EmbeddedPool,
} from '../../src/storage/typeorm/connection/embedded-connection.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import type { TestDatabase } from '../support/store/databases.js';
import { openTestPglite } from '../support/store/databases.js';

let tested: TestDatabase;
const source = () => tested.database.dataSource;
const values = async () => {
  const rows = await source().query<{ v: string }[]>('SELECT v FROM t ORDER BY v');
  return rows.map(({ v }) => v);
};

/** Shorter than `EMBEDDED_WAIT_MS`, for who waits in these tests. */
const WAIT_MS = 800;

beforeAll(async () => {
  tested = await openTestPglite();
  const { master } = source().driver as unknown as { master: EmbeddedPool };
  expect(master).toBeInstanceOf(EmbeddedPool);
  expect(master.wait_ms).toBe(EMBEDDED_WAIT_MS);
  master.wait_ms = WAIT_MS;
});

beforeEach(async () => {
  await source().query('DROP TABLE IF EXISTS t; CREATE TABLE t (v text PRIMARY KEY)');
});

afterAll(() => tested.close());

describe(EmbeddedPool.name, () => {
  it('keeps a statement beside an open transaction out of that transaction’s rollback', async () => {
    let beside: Promise<unknown> | undefined;
    const doomed = source().transaction(async (manager) => {
      await manager.query("INSERT INTO t VALUES ('inside')");
      beside = source().query("INSERT INTO t VALUES ('beside')");
      await manager.query('SELECT 1');
      throw new Error('roll back');
    });
    await expect(doomed).rejects.toThrow('roll back');
    await beside;
    expect(await values()).toEqual(['beside']);
  });

  it('keeps hundreds of statements and transactions apart', async () => {
    const work = Array.from({ length: 200 }, (_, i) =>
      i % 2 === 0
        ? source().query('INSERT INTO t VALUES ($1)', [`kept ${i}`])
        : source()
            .transaction(async (manager) => {
              await manager.query('INSERT INTO t VALUES ($1)', [`lost ${i}`]);
              throw new Error('roll back');
            })
            .catch(() => undefined),
    );
    await Promise.all(work);
    expect(await values()).toEqual(
      Array.from({ length: 100 }, (_, i) => `kept ${i * 2}`).toSorted(),
    );
  });

  it('tells a transaction that waits for itself so, within 5 s, and goes on working', async () => {
    expect(EMBEDDED_WAIT_MS).toBeLessThan(5000);
    const stuck = source().transaction(async (manager) => {
      await manager.query("INSERT INTO t VALUES ('inside')");
      await tested.database.query({ text: "INSERT INTO t VALUES ('outside')" }, []);
    });
    await expect(stuck).rejects.toMatchObject({
      kind: 'internal',
      code: 'transaction_waits_for_itself',
      message: expect.stringContaining('waits for itself'),
    });
    expect(await values()).toEqual([]);
    await source().query("INSERT INTO t VALUES ('after')");
    expect(await values()).toEqual(['after']);
  });

  it('does not take a process that stood still for a transaction that waits for itself', async () => {
    const slow = source().transaction(async (manager) => {
      await manager.query('SELECT 1');
      for (const until = performance.now() + 2 * WAIT_MS; performance.now() < until;);
      await manager.query('SELECT 1');
    });
    await Promise.all([slow, source().query('SELECT 1')]);
  });

  it('lets what keeps runs going go before what clients read, and lets both go on', async () => {
    const { database } = tested;
    const order: string[] = [];
    const ask = async (on: Database, name: string): Promise<void> => {
      await on.query({ text: 'SELECT 1' }, []);
      order.push(name);
    };
    const reads = Array.from({ length: 20 }, (_, n) => ask(database, `read ${n}`));
    const writes = Array.from({ length: 2 }, (_, n) => ask(database.runs, `write ${n}`));
    await Promise.all([...reads, ...writes]);
    const rest = Array.from({ length: 19 }, (_, n) => `read ${n + 1}`);
    expect(order).toEqual(['read 0', 'write 0', 'write 1', ...rest]);
  });

  it('lets a long queue wait while it moves', async () => {
    const hold = () =>
      source().transaction((manager) => manager.query(`SELECT pg_sleep(${WAIT_MS / 4000})`));
    const queue = Array.from({ length: 6 }, hold);
    await expect(Promise.all(queue)).resolves.toHaveLength(6);
  });

  it('tells the same to who uses TypeORM directly', async () => {
    const stuck = source().transaction(() => source().query("INSERT INTO t VALUES ('outside')"));
    await expect(stuck).rejects.toMatchObject({ code: 'transaction_waits_for_itself' });
    expect(await values()).toEqual([]);
  });

  it('goes on after a statement that fails, alone and among those it travels with', async () => {
    await expect(tested.database.query({ text: 'SELEKT' }, [])).rejects.toMatchObject({
      code: 'store_failed',
    });
    const batch = tested.database.batch([
      [{ text: "INSERT INTO t VALUES ('before')" }, []],
      [{ text: 'SELECT 1 / 0' }, []],
      [{ text: "INSERT INTO t VALUES ('after')" }, []],
    ]);
    await expect(batch).rejects.toMatchObject({ code: 'store_failed', cause: { code: '22012' } });
    expect(await values()).toEqual([]);
  });

  it('starts a new connection with nothing of the last one open', async () => {
    const statement = { name: 'same name', text: 'SELECT 1 AS one' };
    await tested.database.query(statement, []);
    const runner = source().createQueryRunner();
    const client = (await runner.connect()) as { end(): Promise<void> };
    await runner.query("BEGIN; INSERT INTO t VALUES ('left open')");
    await client.end();
    await runner.release();
    expect(await tested.database.query(statement, [])).toEqual([{ one: 1 }]);
    expect(await values()).toEqual([]);
  });
});
