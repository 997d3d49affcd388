import pg from 'pg';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import { TestServer } from '../support/server/test-server.js';
import { allTenants } from '../support/store/all-tenants.js';

const fault = await findPostgresFault();
const RUNS = 10;
const CLIENTS = 30;
/** Shorter than the time that the clients wait for their answers. */
const TIMES = { SAVE_TIMEOUT_MS: '2400', LEASE_TTL_MS: '3000', HEARTBEAT_MS: '300' };
/** What the model takes for a turn. */
const TURN_MS = 200;

/** It waits twice until statements of clients have timed out. */
(fault ? describe.skip : describe)(`A server whose clients ask for a table that is locked`, () => {
  let opened: Awaited<ReturnType<typeof openTestPostgres>>;
  let database: Database;
  let server: TestServer;
  let admin: pg.Client;

  beforeAll(async () => {
    opened = await openTestPostgres();
    const { url } = opened;
    database = await openDatabase({ url, dataDir: '', migrate: false, saveTimeoutMs: 2400 });
    server = await TestServer.start(createStores(database), {
      env: { ...TIMES, MAX_ITERATIONS: '1000', MAX_CONCURRENT_RUNS: '20' },
    });
    admin = new pg.Client(allTenants(url));
    await admin.connect();
  });
  afterAll(async () => {
    await server.stop();
    await database.close();
    await admin.end();
    await opened.close();
  });

  it('goes on with its runs, and stays ready', async () => {
    let isOver = false;
    server.fake.otherwise(({ messages }) => {
      if (isOver) return { text: 'Done.' };
      const gate = new Gate();
      setTimeout(() => gate.open(), TURN_MS);
      const calls = [{ name: 'calculator', arguments: { expression: `6*${messages.length}` } }];
      return { text: [gate, 'One more.'], calls };
    });
    const chats = Array.from({ length: RUNS }, (_, n) => `run-${n}`);
    await Promise.all(
      chats.map(async (id) => expect((await server.api.post('/chats', { id })).status).toBe(201)),
    );
    const streams = chats.map((chat) => server.api.say(chat, 'Go'));
    const savedSeqs = async (): Promise<ReadonlyMap<string, number>> => {
      const text = "SELECT id, last_seq FROM interactions WHERE status = 'RUNNING'";
      const { rows } = await admin.query<{ id: string; last_seq: number }>(text);
      return new Map(rows.map(({ id, last_seq }) => [id, last_seq]));
    };
    await eventually(async () => (await savedSeqs()).size === RUNS);
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');
    const before = await savedSeqs();
    /** Of each run, when the first client has waited for nothing. */
    let after: Promise<ReadonlyMap<string, number>> | undefined;
    const ready: number[] = [];
    const poll = async (_: unknown, n: number): Promise<void> => {
      for (let asked = 0; asked < 2; asked++) {
        const answer = await server.api.get(`/tasks?chat_id=run-${n % RUNS}`);
        after ??= savedSeqs();
        expect(answer).toMatchObject({
          status: 503,
          body: { type: '/problems/store_unavailable' },
        });
        ready.push((await server.api.get('/health/ready')).status);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, poll));
    await admin.query('ROLLBACK');
    isOver = true;
    for (const reader of await Promise.all(streams)) {
      expect(reader.faults).toEqual([]);
      expect(reader.types).not.toContain('RESUMED');
      expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
    }
    expect((await after)!.size).toBe(RUNS);
    for (const [id, seq] of (await after)!) expect(seq).toBeGreaterThan(before.get(id)!);
    expect(new Set(ready)).toEqual(new Set([200]));
    expect(server.log.filter((line) => line.includes('unavailable. Runs wait'))).toEqual([]);
  });

  it('lets the database end the statement of a client, and keeps the connections', async () => {
    const pids = async (): Promise<number[]> => {
      const { rows } = await admin.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'parley %' AND datname = current_database() ORDER BY pid",
      );
      return rows.map(({ pid }) => pid);
    };
    const before = await pids();
    const slow = database.query({ text: 'SELECT pg_sleep(60)' }, []);
    await expect(slow).rejects.toMatchObject({ kind: 'unavailable', cause: { code: '57014' } });
    await database.query({ text: 'SELECT 1' }, []);
    await database.runs.query({ text: 'SELECT 1' }, []);
    expect(await pids()).toEqual(before);
  });
});
